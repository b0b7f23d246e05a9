// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A file that is written next to another one, and takes its name once it is complete.
///
/// Only its owner may read and write it meanwhile. Without ``publish()``, it is removed.
///
/// It has a name that no user gives a file, and holds a lock on itself (flock(2)), which distinguishes it from the
/// drafts of processes that have ended; ``removeRemains(beside:)`` removes those.
package final class FileDraft {
    /// Where to write.
    package let descriptor: Int32

    /// The path of the destination, and its own, as C strings: names need not be UTF-8.
    private let path: [CChar]
    private let temporary: [CChar]
    private var isPublished = false

    /// Creates an empty file under a random name in the folder of another one, which need not exist.
    package init(of path: UnsafePointer<CChar>) throws(FileError) {
        self.path = Array(UnsafeBufferPointer(start: path, count: strlen(path) + 1))
        let folder = Self.folder(of: self.path)
        for _ in 0..<Self.attempts {
            let temporary = folder + (Self.prefix + RandomName.make() + Self.suffix).utf8CString
            let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
            guard descriptor >= 0 else { throw Self.failure("open", path) }
            // A process that removes remains may have found it before it was locked. On a file system without locks,
            // none removes any.
            let isLocked = flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK
            var status = stat()
            if isLocked, fstat(descriptor, &status) != 0 || status.st_nlink > 0 {
                self.descriptor = descriptor
                self.temporary = temporary
                return
            }
            close(descriptor)
            unlink(temporary)
        }
        throw .lockTimeout(path: String(cString: path))
    }

    /// The number of attempts to create a file.
    private static let attempts = 100

    deinit {
        close(descriptor)
        if !isPublished { unlink(temporary) }
    }

    /// The prefix and suffix of the names of incomplete files, with 32 random hexadecimal digits between.
    ///
    /// The name of the other file is not part of it: that may be as long as names can be.
    private static let prefix = ".swift-keychain."
    private static let suffix = ".new"

    /// Removes incomplete files of processes that were killed, in the folder of a file.
    ///
    /// Only regular files of this user with a name of exactly this form are removed, and none that is being written.
    package static func removeRemains(beside path: UnsafePointer<CChar>) {
        let folder = folder(of: Array(UnsafeBufferPointer(start: path, count: strlen(path) + 1)))
        let path = folder.isEmpty ? "." : String(decoding: folder.map(UInt8.init(bitPattern:)), as: UTF8.self)
        for name in FolderNames.of(path, beginningWith: prefix) where isName(name) {
            let temporary = folder + name.utf8CString
            let descriptor = open(temporary, O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)
            guard descriptor >= 0 else { continue }
            if flock(descriptor, LOCK_EX | LOCK_NB) == 0, isThere(temporary, descriptor) { unlink(temporary) }
            close(descriptor)
        }
    }

    private static func isName(_ name: String) -> Bool {
        name.hasPrefix(prefix) && name.hasSuffix(suffix)
            && RandomName.isOne(name.utf8.dropFirst(prefix.utf8.count).dropLast(suffix.utf8.count))
    }

    /// Whether a name is still that of an open regular file of this user.
    private static func isThere(_ name: [CChar], _ descriptor: Int32) -> Bool {
        var (named, opened) = (stat(), stat())
        return fstat(descriptor, &opened) == 0 && lstat(name, &named) == 0 && opened.st_dev == named.st_dev
            && opened.st_ino == named.st_ino && opened.st_mode & S_IFMT == S_IFREG && opened.st_uid == geteuid()
    }

    /// The folder of a path, with its slash at the end and no zero; empty for a name alone.
    private static func folder(of path: [CChar]) -> [CChar] {
        path.lastIndex(of: CChar(UInt8(ascii: "/"))).map { Array(path[...$0]) } ?? []
    }

    /// Gives the file its mode and its name, durably, replacing any file of that name.
    ///
    /// - Throws: ``FileError``; an existing file of that name is unchanged in that case.
    package func publish(mode: mode_t = 0o600) throws(FileError) {
        try publish(mode: mode) { (temporary, path) throws(FileError) in
            guard rename(temporary, path) == 0 else { throw Self.failure("rename", path) }
        }
    }

    /// The same, unless the name is taken.
    ///
    /// - Throws: ``FileError``, among others ``FileError/taken(path:)``.
    package func publishNew(mode: mode_t = 0o600) throws(FileError) {
        try publish(mode: mode) { (temporary, path) throws(FileError) in try NewName.rename(temporary, to: path) }
    }

    private func publish(
        mode: mode_t,
        _ move: (_ temporary: UnsafePointer<CChar>, _ path: UnsafePointer<CChar>) throws(FileError) -> Void
    ) throws(FileError) {
        guard fchmod(descriptor, mode) == 0 else { throw Self.failure("fchmod", path) }
        guard fsync(descriptor) == 0 else { throw Self.failure("fsync", path) }
        try move(temporary, path)
        isPublished = true
        // The lock has no purpose under the final name.
        flock(descriptor, LOCK_UN)
        syncFolder()
    }

    /// Makes the new name durable; a file system that cannot sync folders keeps its names consistent by itself.
    private func syncFolder() {
        let folder = Self.folder(of: path)
        let descriptor = open(
            folder.isEmpty ? Array(".".utf8CString) : folder + [0],
            O_RDONLY | O_DIRECTORY | O_CLOEXEC
        )
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }

    private static func failure(_ call: String, _ path: UnsafePointer<CChar>) -> FileError {
        let number = errno
        return .system(call: call, path: String(cString: path), errno: number)
    }
}
