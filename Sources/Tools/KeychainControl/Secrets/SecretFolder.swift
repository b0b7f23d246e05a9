// SPDX-License-Identifier: Apache-2.0

import CKeychainSupport
import Glibc
import KeychainCore
import KeychainHost

/// A private folder for files with secrets: beside a configuration file for a copy of it that another program changes,
/// in the run-time folder, or for an editor.
///
/// It is removed with the object, and with everything that programs have left in it. It holds a lock on itself
/// (flock(2)), which distinguishes it from the folders of processes that were killed: the next one removes those.
final class SecretFolder {
    /// The path.
    let path: String

    private let descriptor: Int32

    /// Its name has 32 random hexadecimal digits between these.
    private static let prefix = ".swift-keychain."
    private static let suffix = ".copy"

    private static let attempts = 100

    /// `TMPFS_MAGIC` of linux/magic.h.
    private static let memoryFileSystem: UInt32 = 0x0102_1994

    /// Whether what is in a folder is nowhere but in memory.
    static func isInMemory(_ path: String) -> Bool { keychain_file_system(path) == memoryFileSystem }

    convenience init(beside file: String) throws(FileError) { try self.init(in: file.folderOfPath) }

    /// Makes one.
    ///
    /// - Parameters:
    ///   - parent: where.
    ///   - isInherited: whether programs that are started hold the lock as well, so that it stays for as long as they
    ///     do.
    /// - Throws: ``FileError`` if it cannot be made.
    init(in parent: String, isInherited: Bool = false) throws(FileError) {
        Self.removeRemains(in: parent)
        for _ in 0..<Self.attempts {
            let path = "\(parent)/\(Self.prefix)\(RandomName.make())\(Self.suffix)"
            guard mkdir(path, 0o700) == 0 else { throw .system(call: "mkdir", path: path, errno: errno) }
            // The process may have a mask of its own.
            chmod(path, 0o700)
            // A process that removes remains may have found it before it was locked.
            if let descriptor = Self.lock(path, elseKeep: true) {
                if isInherited { _ = fcntl(descriptor, F_SETFD, 0) }
                (self.path, self.descriptor) = (path, descriptor)
                return
            }
            rmdir(path)
        }
        throw .lockTimeout(path: parent)
    }

    deinit {
        Self.empty(descriptor)
        rmdir(path)
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
            empty(descriptor)
            rmdir("\(parent)/\(name)")
            close(descriptor)
        }
    }

    private static func isName(_ name: String) -> Bool {
        name.hasSuffix(suffix) && RandomName.isOne(name.utf8.dropFirst(prefix.utf8.count).dropLast(suffix.utf8.count))
    }

    // MARK: - What programs have left

    /// Folders within more folders than this are no editor's.
    private static let largestDepth = 32

    private static func empty(_ folder: Int32, depth: Int = 0) {
        guard depth < largestDepth, let stream = fdopendir(openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC))
        else { return }
        defer { closedir(stream) }
        while let entry = readdir(stream) {
            withUnsafePointer(to: &entry.pointee.d_name) { start in
                // Names need not be UTF-8.
                start.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: start.pointee)) { name in
                    guard strcmp(name, ".") != 0, strcmp(name, "..") != 0 else { return }
                    remove(name, in: folder, depth)
                }
            }
        }
    }

    private static func remove(_ name: UnsafePointer<CChar>, in folder: Int32, _ depth: Int) {
        var status = stat()
        guard fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { return }
        if status.st_mode & S_IFMT == S_IFDIR {
            let inner = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            if inner >= 0 {
                empty(inner, depth: depth + 1)
                close(inner)
            }
            unlinkat(folder, name, AT_REMOVEDIR)
            return
        }
        // One with another name elsewhere is somebody's file.
        if status.st_mode & S_IFMT == S_IFREG, status.st_nlink == 1 { wipe(name, in: folder) }
        unlinkat(folder, name, 0)
    }

    /// Twice what an item may have: an editor writes little beside the text.
    private static let largestWipedCount = 2 * ItemLimits.secretByteCount

    private static func wipe(_ name: UnsafePointer<CChar>, in folder: Int32) {
        let file = openat(folder, name, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard file >= 0 else { return }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0 else { return }
        let zeros = [UInt8](repeating: 0, count: 1 << 14)
        // A hole in a larger one would become memory.
        var left = min(Int(status.st_size), Self.largestWipedCount)
        while left > 0 {
            let count = min(left, zeros.count)
            guard zeros.withUnsafeBytes({ DescriptorOutput.write(.init(rebasing: $0[..<count]), to: file) }) else {
                return
            }
            left -= count
        }
    }
}
