// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainSupport

/// A file that is read and replaced as a whole: readers find the old contents or the new ones, also after a crash.
package enum AtomicFile {
    /// Which contents a file had when it was read.
    package struct Mark: Sendable, Hashable {
        private let file: FileIdentity
        private let contents: FileContentsMark

        /// The number of its file system.
        package var fileSystem: UInt64 { file.fileSystem }

        /// The mode of the file, its permission bits alone.
        fileprivate let mode: mode_t
        fileprivate let owner: uid_t
        fileprivate let group: gid_t

        fileprivate init(_ status: stat) {
            file = FileIdentity(status)
            contents = FileContentsMark(status)
            mode = status.st_mode & 0o777
            (owner, group) = (status.st_uid, status.st_gid)
        }
    }

    /// The mark of a file; `nil` if there is none.
    ///
    /// - Throws: ``FileError/wrongKind(path:expected:)`` for anything other than a regular file.
    package static func mark(_ path: String) throws(FileError) -> Mark? {
        var status = stat()
        guard stat(path, &status) == 0 else {
            guard errno == ENOENT || errno == ENOTDIR else { throw failure("stat", path) }
            return nil
        }
        try check(status, path)
        return Mark(status)
    }

    /// Reads a file; `nil` if there is none.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - limit: the maximum size in bytes.
    /// - Returns: The contents, and their mark.
    /// - Throws: ``FileError/wrongKind(path:expected:)`` for anything other than a regular file, and system errors.
    package static func read(_ path: String, limit: Int) throws(FileError) -> (bytes: [UInt8], mark: Mark)? {
        // To open a device may already do something.
        guard try mark(path) != nil else { return nil }
        // If it is no longer a regular file, it must not block the caller.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else {
            guard errno == ENOENT || errno == ENOTDIR else { throw failure("open", path) }
            return nil
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw failure("fstat", path) }
        try check(status, path)
        guard status.st_size <= limit else {
            throw .wrongKind(path: path, expected: "a file of \(limit) bytes at most")
        }
        var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
        var count = 0
        while count < bytes.count {
            let read = bytes.withUnsafeMutableBytes {
                pread(descriptor, $0.baseAddress.map { $0 + count }, $0.count - count, off_t(count))
            }
            if read < 0, errno == EINTR { continue }
            guard read >= 0 else { throw failure("read", path) }
            // It was cut short since.
            guard read > 0 else { break }
            count += read
        }
        return (Array(bytes[..<count]), Mark(status))
    }

    /// Creates a file, durable when this returns.
    ///
    /// - Throws: ``FileError/taken(path:)`` if the name is taken.
    package static func create(
        _ path: String,
        _ bytes: [UInt8],
        mode: mode_t = 0o600
    ) throws(FileError) -> Mark {
        try checkOwner(above: path)
        return try publish(bytes, at: path, mode: mode) { (draft, mode) throws(FileError) in
            try draft.publishNew(mode: mode)
        }
    }

    /// Refuses to make something for the superuser in the folder of another user, who could not read or change it.
    ///
    /// - Throws: ``FileError/foreignHome(path:owner:)`` if the nearest folder that is there belongs to another user.
    package static func checkOwner(above path: String) throws(FileError) {
        guard geteuid() == 0 else { return }
        var (folder, status) = (path.parentFolder, stat())
        while stat(folder, &status) != 0, folder != "/" { folder = folder.parentFolder }
        guard status.st_uid == 0 else { throw .foreignHome(path: folder, owner: status.st_uid) }
    }

    /// Makes the folders above a file that are missing.
    package static func makeFolders(above path: String, mode: mode_t = 0o700) throws(FileError) {
        if access(path.parentFolder, F_OK) != 0 { try checkOwner(above: path) }
        var folder = ""
        for component in path.pathNames.dropLast() {
            folder += "/\(component)"
            if mkdir(folder, mode) == 0 {
                // The process may have a mask of its own.
                chmod(folder, mode)
            } else if errno != EEXIST, errno != EROFS, errno != EACCES {
                throw failure("mkdir", folder)
            }
        }
    }

    /// Replaces a file, durable when this returns, unless its contents differ from those that were read.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - mark: the mark of the expected contents; `nil` for any, and if there is no file.
    ///   - bytes: the new contents.
    ///   - mode: the mode of the file.
    /// - Returns: The mark of the new contents; `nil` if the contents were different, and nothing was written.
    /// - Throws: ``FileError``; the file is unchanged in that case.
    package static func replace(
        _ path: String,
        _ mark: Mark?,
        with bytes: [UInt8],
        mode: mode_t = 0o600
    ) throws(FileError) -> Mark? {
        guard let mark else {
            return try publish(bytes, at: path, mode: mode) { (draft, mode) throws(FileError) in
                try draft.publish(mode: mode)
            }
        }
        // Of several processes that replace it, each holds the lock of the file that it replaces.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else {
            guard errno == ENOENT else { throw failure("open", path) }
            return nil
        }
        defer { close(descriptor) }
        var pauses = Deadline.Pauses(until: Deadline(milliseconds: patienceMilliseconds))
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            let failure = errno
            if failure == EINTR || failure == EWOULDBLOCK, pauses.wait() { continue }
            throw failure == EWOULDBLOCK
                ? .lockTimeout(path: path) : .system(call: "flock", path: path, errno: failure)
        }
        guard try self.mark(path) == mark else { return nil }
        return try publish(bytes, at: path, mode: mark.mode, replacing: mark) { (draft, mode) throws(FileError) in
            try draft.publish(mode: mode)
        }
    }

    /// How long another program may hold the lock of a file: longer than it takes to write one.
    private static let patienceMilliseconds: Int32 = 10_000

    /// Writes a file beside another one, and calls `move` to give it that name and a mode.
    private static func publish(
        _ bytes: [UInt8],
        at path: String,
        mode: mode_t,
        replacing mark: Mark? = nil,
        _ move: (FileDraft, mode_t) throws(FileError) -> Void
    ) throws(FileError) -> Mark {
        FileDraft.removeRemains(beside: path)
        let draft = try FileDraft(of: path)
        try write(bytes, to: draft.descriptor, path)
        var mode = mode
        // Whom the old file did not belong to must not get at the new one.
        if let mark, fchown(draft.descriptor, mark.owner, mark.group) != 0 { mode &= 0o700 }
        try move(draft, mode)
        var status = stat()
        guard fstat(draft.descriptor, &status) == 0 else { throw failure("fstat", path) }
        return Mark(status)
    }

    private static func write(_ bytes: [UInt8], to descriptor: Int32, _ path: String) throws(FileError) {
        guard bytes.withUnsafeBytes({ DescriptorOutput.write($0, to: descriptor) }) else {
            throw failure("write", path)
        }
    }

    private static func check(_ status: stat, _ path: String) throws(FileError) {
        guard status.st_mode & S_IFMT == S_IFREG else { throw .wrongKind(path: path, expected: "a regular file") }
    }

    private static func failure(_ call: String, _ path: String) -> FileError {
        .system(call: call, path: path, errno: errno)
    }
}
