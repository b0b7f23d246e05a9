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
        file(name, in: path) != nil
    }

    /// The path of a program.
    ///
    /// - Parameters:
    ///   - name: its name, or its path.
    ///   - path: the value of `PATH`.
    /// - Returns: The path; `nil` if there is none.
    static func file(_ name: String, in path: String?) -> String? {
        guard !name.utf8.contains(UInt8(ascii: "/")) else { return name }
        return (path ?? "").split(separator: ":").lazy.map { "\($0)/\(name)" }.first { access($0, X_OK) == 0 }
    }
}
