// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainSupport

extension PrivateDirectory {
    /// The existing folder of a location; nothing is created.
    ///
    /// - Returns: `nil` if there is none.
    /// - Throws: ``FileError`` if other users have access to it, and if its existence is unknown, as in a home that
    ///   this process may not enter.
    package init?(existing location: KeychainLocation) throws(FileError) {
        if access(location.path, F_OK) != 0 {
            let failure = errno
            // A home such as /dev/null does not count; an explicitly specified folder is not where it was meant to be.
            let isAbsent = [ENOENT, ENAMETOOLONG].contains(failure) || failure == ENOTDIR && !location.isNamed
            guard isAbsent else { throw .system(call: "access", path: location.path, errno: failure) }
            var status = stat()
            guard lstat(location.path, &status) == 0 else { return nil }
            // A link that leads nowhere; any other folder was created just now.
            guard status.st_mode & S_IFMT != S_IFLNK || access(location.path, F_OK) == 0 else {
                throw .wrongKind(path: location.path, expected: "a folder")
            }
        }
        try self.init(location)
    }

    /// The existing folder of a location, even if other users have access to it: for callers that remove something from
    /// it.
    ///
    /// - Returns: `nil` if there is none, and if it belongs to another user.
    package init?(asItIs location: KeychainLocation) throws(FileError) {
        var status = stat()
        guard stat(location.path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR, status.st_uid == geteuid() else {
            return nil
        }
        try self.init(shared: location.path)
    }

    /// Opens a file of mode 0600 for reading and writing, and creates an empty one if it is missing.
    ///
    /// - Returns: The descriptor, which the caller closes.
    /// - Throws: ``FileError``, for example ``FileError/wrongKind(path:expected:)`` if it is not a regular file.
    package func openFile(_ name: String) throws(FileError) -> Int32 {
        try openFile(name, Opening(open: { Glibc.open($0, $1, $2) }, close: { Glibc.close($0) }))
    }

    /// Opens a lock file, as ``openFile(_:)``; a forked child closes it before anything else runs there.
    ///
    /// - Returns: The descriptor, for `CSupport.closePrivate`.
    func openLockFile(_ name: String) throws(FileError) -> Int32 {
        let opening = Opening(open: { CSupport.openLockFile($0, $1, $2) }, close: { CSupport.closePrivate($0) })
        return try openFile(name, opening)
    }

    private struct Opening {
        let open: (_ path: String, _ flags: Int32, _ mode: mode_t) -> Int32
        let close: (_ descriptor: Int32) -> Void
    }

    private func openFile(_ name: String, _ opening: Opening) throws(FileError) -> Int32 {
        let path = path(of: name)
        // A pipe would keep the process waiting.
        let flags = O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
        var descriptor = opening.open(path, flags | O_CREAT, 0o600)
        if descriptor < 0, errno == EACCES, Self.lacksRights(path), chmod(path, 0o600) == 0 {
            descriptor = opening.open(path, flags, 0)
        }
        guard descriptor >= 0 else {
            throw [ELOOP, EISDIR, ENXIO].contains(errno)
                ? .wrongKind(path: path, expected: "a file") : .system(call: "open", path: path, errno: errno)
        }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            opening.close(descriptor)
            throw .wrongKind(path: path, expected: "a file")
        }
        // The process's umask may have removed the owner's own permissions.
        if status.st_mode & 0o777 != 0o600 { fchmod(descriptor, 0o600) }
        return descriptor
    }

    /// Whether a file is the user's own, without permission even for the user to read and write it.
    ///
    /// It was created under a umask that removes these permissions, by a process that was killed before it restored
    /// them, or is about to.
    private static func lacksRights(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && status.st_uid == geteuid()
            && status.st_mode & 0o600 != 0o600
    }
}
