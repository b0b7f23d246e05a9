// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainSupport

extension PrivateDirectory {
    /// The folder of a location that is there; nothing is made.
    ///
    /// - Returns: `nil` when there is none.
    /// - Throws: ``FileError`` when others can get at it, and when it cannot be told whether it is there, as in a home
    ///   that this process may not enter.
    package init?(existing location: KeychainLocation) throws(FileError) {
        guard access(location.path, F_OK) == 0 else {
            let failure = errno
            // A home such as /dev/null is none; a folder that was named is not where it was meant to be.
            let isAbsent = [ENOENT, ENAMETOOLONG].contains(failure) || failure == ENOTDIR && !location.isNamed
            guard isAbsent else { throw .system(call: "access", path: location.path, errno: failure) }
            var status = stat()
            // A link that leads nowhere.
            guard lstat(location.path, &status) != 0 else {
                throw .wrongKind(path: location.path, expected: "a folder")
            }
            return nil
        }
        try self.init(location)
    }

    /// The folder of a location that is there, also when others can get at it: for what takes something from them.
    ///
    /// - Returns: `nil` when there is none, and when it belongs to another user.
    package init?(asItIs location: KeychainLocation) throws(FileError) {
        var status = stat()
        guard stat(location.path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR, status.st_uid == geteuid() else {
            return nil
        }
        try self.init(shared: location.path)
    }

    /// Opens a file of mode 0600 for reading and writing, and makes it, empty, when it is missing.
    ///
    /// - Returns: The descriptor, which the caller closes.
    /// - Throws: ``FileError``, among others ``FileError/wrongKind(path:expected:)`` when there is something else.
    package func openFile(_ name: String) throws(FileError) -> Int32 {
        try openFile(name, Opening(open: { Glibc.open($0, $1, $2) }, close: { Glibc.close($0) }))
    }

    /// Opens a lock file, as ``openFile(_:)``; a forked child closes it before anything else runs there.
    ///
    /// - Returns: The descriptor, for `CSupport.closeLockFile`.
    func openLockFile(_ name: String) throws(FileError) -> Int32 {
        let opening = Opening(open: { CSupport.openLockFile($0, $1, $2) }, close: { CSupport.closeLockFile($0) })
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
        // The process's umask may have taken away the owner's own rights.
        if status.st_mode & 0o777 != 0o600 { fchmod(descriptor, 0o600) }
        return descriptor
    }

    /// Whether a file is the user's own and does not let even them read and write: made under a umask that takes rights
    /// away, by a process that was ended before it gave them back, or is about to.
    private static func lacksRights(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && status.st_uid == geteuid()
            && status.st_mode & 0o600 != 0o600
    }
}
