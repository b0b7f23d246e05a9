// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The folders in which a shell searches for programs (POSIX.1, `PATH`).
enum ProgramPath {
    /// Whether there is a program of a name.
    ///
    /// - Parameters:
    ///   - name: the name.
    ///   - path: the value of `PATH`.
    /// - Returns: Whether one of the folders has it.
    static func has(_ name: String, in path: String?) -> Bool {
        (path ?? "").split(separator: ":").contains { access("\($0)/\(name)", X_OK) == 0 }
    }
}
