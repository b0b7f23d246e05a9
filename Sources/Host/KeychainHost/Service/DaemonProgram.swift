// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The `keychaind` executable that a program starts if no daemon listens.
///
/// Absolute paths only, never `PATH` or the current folder: an executable there would receive the passcode.
package enum DaemonProgram {
    /// The environment variable that names it.
    package static let environmentVariable = "SWIFT_KEYCHAIND"

    private static let name = "keychaind"

    /// The program to start.
    ///
    /// It is the one that the environment specifies, else the one that the store's folder specifies, else the one next
    /// to the running program, else an installed one.
    ///
    /// - Parameters:
    ///   - folder: the folder of the store.
    ///   - environment: the value of an environment variable.
    ///   - ownPath: the path of the running program.
    /// - Returns: Its path; `nil` if there is none.
    /// - Throws: ``FileError`` if a specified program cannot be trusted or does not exist.
    package static func path(
        for folder: PrivateDirectory?,
        environment: (String) throws(FileError) -> String? = ProcessEnvironment.path,
        ownPath: String? = Self.ownPath()
    ) throws(FileError) -> String? {
        if let path = try environment(environmentVariable) { return try checked(path) }
        if let folder, let program = ServiceRecord.program(in: folder) { return try checked(program) }
        let beside = ownPath.map { "\($0.folderOfPath)/\(name)" }
        for path in [beside, "/usr/local/bin/\(name)", "/usr/bin/\(name)"].compactMap(\.self) {
            // An executable that cannot be trusted is skipped: it was not named explicitly.
            if let path = try? checked(path) { return path }
        }
        return nil
    }

    /// Checks that a program and the folders on its path are owned by root or this user, and not world-writable.
    ///
    /// Group write permission is not checked.
    ///
    /// - Returns: The path with symbolic links resolved.
    /// - Throws: ``FileError`` with the reason.
    package static func checked(_ path: String) throws(FileError) -> String {
        guard path.isAbsolutePath else { throw .unusablePath(path, "the path of a program must be absolute") }
        guard let resolved = realpath(path, nil) else { throw .system(call: "realpath", path: path, errno: errno) }
        defer { free(resolved) }
        guard let program = String(validatingCString: resolved) else { throw .notUTF8("what \(path) leads to", path) }
        var status = stat()
        guard lstat(program, &status) == 0 else { throw .system(call: "lstat", path: program, errno: errno) }
        guard status.st_mode & S_IFMT == S_IFREG, access(program, X_OK) == 0 else {
            throw .wrongKind(path: program, expected: "a program")
        }
        guard let part = ReplaceablePart(of: program, countingGroup: false) else { return program }
        guard let owner = part.owner else { throw .exposed(path: part.path, "can be written by other users") }
        throw .foreign(path: part.path, owner: owner)
    }

    /// The path of the running program; `nil` if it is not known or was removed.
    package static func ownPath() -> String? {
        guard let resolved = realpath("/proc/self/exe", nil) else { return nil }
        defer { free(resolved) }
        return String(validatingCString: resolved)
    }
}
