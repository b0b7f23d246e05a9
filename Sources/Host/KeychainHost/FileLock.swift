// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainSupport

/// A lock file that one process at a time holds, for as long as the value lives.
///
/// A child that is forked meanwhile does not hold it; neither does a program that has closed the descriptor.
package struct FileLock: ~Copyable, Sendable {
    private let descriptor: Int32
    private let serial: UInt64

    /// Waits for the lock.
    ///
    /// - Parameters:
    ///   - name: the lock file, which is created if it is missing, and stays.
    ///   - folder: the folder of the lock file.
    ///   - deadline: the deadline; if it has passed, there is one attempt.
    /// - Throws: ``FileError/lockTimeout(path:)`` if another process does not release it.
    package init(_ name: String, in folder: PrivateDirectory, until deadline: Deadline) throws(FileError) {
        try self.init(try folder.openLockFile(name), folder.path(of: name), until: deadline)
    }

    /// Waits for the lock of a folder that others may read, such as one of the system.
    ///
    /// - Parameters:
    ///   - path: the lock file, which is created for its owner alone if it is missing, and stays.
    ///   - deadline: the deadline; if it has passed, there is one attempt.
    /// - Throws: ``FileError/lockTimeout(path:)`` if another process does not release it.
    package init(at path: String, until deadline: Deadline) throws(FileError) {
        let flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
        let descriptor = CSupport.openLockFile(path, flags, 0o600)
        guard descriptor >= 0 else { throw .system(call: "open", path: path, errno: errno) }
        try self.init(descriptor, path, until: deadline)
    }

    private init(_ descriptor: Int32, _ path: String, until deadline: Deadline) throws(FileError) {
        let serial = CSupport.privateSerial(descriptor)
        var pauses = Deadline.Pauses(until: deadline)
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            let failure = errno
            let waits = failure == EINTR || failure == EWOULDBLOCK ? pauses.wait() : false
            guard CSupport.isPrivateOpening(descriptor, serial) else {
                throw .system(call: "flock", path: path, errno: EBADF)
            }
            if waits { continue }
            CSupport.closePrivate(descriptor)
            throw failure == EWOULDBLOCK
                ? .lockTimeout(path: path) : .system(call: "flock", path: path, errno: failure)
        }
        // Nothing is in it, unless a program wrote by mistake to a number that was this descriptor's.
        var status = stat()
        if fstat(descriptor, &status) == 0, status.st_size > 0 { ftruncate(descriptor, 0) }
        self.descriptor = descriptor
        self.serial = serial
    }

    /// Empties the lock files of a folder, which something may have been written to by mistake.
    package static func emptyAll(in folder: PrivateDirectory) {
        for name in folder.names(beginningWith: "") where name.hasSuffix(".lock") && name != HostLock.fileName {
            var status = stat()
            let path = folder.path(of: name)
            guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size > 0 else { continue }
            truncate(path, 0)
        }
    }

    /// Whether the descriptor is still open: not in a forked child, and not after the program has closed it.
    private var isOpen: Bool { CSupport.isPrivateOpening(descriptor, serial) }

    /// Permits others to determine which process holds the lock (``holder(of:in:)``), which needs no disk space.
    ///
    /// That ends when this process closes any descriptor of the file. Some file systems do not support it.
    package borrowing func nameHolder() {
        guard isOpen else { return }
        var record = Self.wholeFile
        _ = fcntl(descriptor, F_SETLK, &record)
    }

    /// The process that holds a lock and permits others to see that; `nil` if there is none in this PID namespace.
    ///
    /// Must not be called by the process that holds it.
    package static func holder(of name: String, in folder: PrivateDirectory) -> Int32? {
        let descriptor = open(folder.path(of: name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var record = wholeFile
        guard fcntl(descriptor, F_GETLK, &record) == 0, record.l_type != Int16(F_UNLCK), record.l_pid > 1 else {
            return nil
        }
        return record.l_pid
    }

    /// A record lock (fcntl_locking(2)) of all bytes of a file.
    private static var wholeFile: flock {
        var record = Glibc.flock()
        record.l_type = Int16(F_WRLCK)
        record.l_whence = Int16(SEEK_SET)
        return record
    }

    deinit {
        // Otherwise its number may be another file's.
        guard isOpen else { return }
        // A process that was started without fork handlers (vfork(2), clone(2)) may have the descriptor still.
        flock(descriptor, LOCK_UN)
        CSupport.closePrivate(descriptor)
    }
}
