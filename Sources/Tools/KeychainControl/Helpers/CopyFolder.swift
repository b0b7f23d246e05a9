// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainHost

/// A private folder for files with secrets: beside a configuration file for a copy of it that another program changes,
/// or in the run-time folder.
///
/// It is removed with the object. It holds a lock on itself (flock(2)), which distinguishes it from the folders of
/// processes that were killed: the next one removes those.
final class CopyFolder {
    /// The path.
    let path: String

    private let descriptor: Int32

    /// Its name has 32 random hexadecimal digits between these.
    private static let prefix = ".swift-keychain."
    private static let suffix = ".copy"

    private static let attempts = 100

    convenience init(beside file: String) throws(FileError) { try self.init(in: file.folderOfPath) }

    init(in parent: String) throws(FileError) {
        Self.removeRemains(in: parent)
        for _ in 0..<Self.attempts {
            let path = "\(parent)/\(Self.prefix)\(RandomName.make())\(Self.suffix)"
            guard mkdir(path, 0o700) == 0 else { throw .system(call: "mkdir", path: path, errno: errno) }
            // The process may have a mask of its own.
            chmod(path, 0o700)
            // A process that removes remains may have found it before it was locked.
            if let descriptor = Self.lock(path, elseKeep: true) {
                (self.path, self.descriptor) = (path, descriptor)
                return
            }
            rmdir(path)
        }
        throw .lockTimeout(path: parent)
    }

    deinit {
        Self.remove(path)
        close(descriptor)
    }

    /// The descriptor of a folder of this user, locked.
    ///
    /// - Parameters:
    ///   - path: the folder.
    ///   - isOwn: whether a file system without locks is no obstacle, on which no process removes remains.
    /// - Returns: `nil` if another process has the lock, or the folder is gone.
    private static func lock(_ path: String, elseKeep isOwn: Bool = false) -> Int32? {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        let isLocked = flock(descriptor, LOCK_EX | LOCK_NB) == 0 || isOwn && errno != EWOULDBLOCK
        var (opened, named) = (stat(), stat())
        guard isLocked, fstat(descriptor, &opened) == 0, opened.st_uid == geteuid(), lstat(path, &named) == 0,
            FileIdentity(opened) == FileIdentity(named)
        else {
            close(descriptor)
            return nil
        }
        return descriptor
    }

    private static func removeRemains(in parent: String) {
        for name in FolderNames.of(parent, beginningWith: prefix) where isName(name) {
            guard let descriptor = lock("\(parent)/\(name)") else { continue }
            remove("\(parent)/\(name)")
            close(descriptor)
        }
    }

    private static func isName(_ name: String) -> Bool {
        name.hasSuffix(suffix) && RandomName.isOne(name.utf8.dropFirst(prefix.utf8.count).dropLast(suffix.utf8.count))
    }

    /// The copy, what is written in its place, and the other program's lock file.
    private static func remove(_ folder: String) {
        for name in FolderNames.of(folder, beginningWith: "") { unlink("\(folder)/\(name)") }
        rmdir(folder)
    }
}
