// SPDX-License-Identifier: Apache-2.0

extension String {
    /// It as one word of a POSIX shell.
    var shellQuoted: String { "'\(replacing("'", with: "'\\''"))'" }
}
