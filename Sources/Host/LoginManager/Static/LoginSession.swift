// SPDX-License-Identifier: Apache-2.0

/// The sessions of processes, of which a program that is linked statically knows none.
package enum LoginSession {
    /// Unknown.
    package static func isRemote(_ process: Int32) -> Bool? { nil }
}
