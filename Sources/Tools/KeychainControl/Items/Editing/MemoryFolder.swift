// SPDX-License-Identifier: Apache-2.0

import CKeychainSupport
import Glibc
import KeychainCore
import KeychainHost

/// A folder of one's own in memory, which is removed with everything that programs leave in it.
///
/// It holds a lock on itself (flock(2)), which programs that are started inherit: the next folder that is made removes
/// those of which all programs were killed.
final class MemoryFolder {
    let path: String

    private let descriptor: Int32

    /// `TMPFS_MAGIC` of linux/magic.h.
    static let fileSystem: UInt32 = 0x0102_1994

    private static let prefix = "keychainctl-edit."

    /// Makes one in the first of some places that is in memory.
    ///
    /// - Throws: ``Refusal`` if none is, or if there is no space.
    init(in places: [String]) throws(Refusal) {
        for place in places where keychain_file_system(place) == Self.fileSystem {
            Self.removeRemains(in: place)
            guard let made = Self.make(in: place) else { continue }
            (path, descriptor) = made
            return
        }
        throw Refusal("there is no folder in memory for the editor: XDG_RUNTIME_DIR and /dev/shm are none (tmpfs)")
    }

    /// Removes it; what is in it is overwritten before.
    func remove() {
        Self.empty(descriptor)
        rmdir(path)
    }

    deinit { close(descriptor) }

    private static func make(in place: String) -> (path: String, descriptor: Int32)? {
        // One that is not locked yet may be taken for a remainder.
        for _ in 0..<100 {
            var template = Array("\(place)/\(prefix)XXXXXX".utf8CString)
            guard mkdtemp(&template) != nil else { return nil }
            let descriptor = open(template, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
            guard descriptor >= 0 else { continue }
            var status = stat()
            if flock(descriptor, LOCK_EX | LOCK_NB) == 0, fstat(descriptor, &status) == 0, status.st_nlink > 0 {
                let path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
                return (path, descriptor)
            }
            close(descriptor)
        }
        return nil
    }

    private static func removeRemains(in place: String) {
        for name in FolderNames.of(place, beginningWith: prefix) {
            let descriptor = open("\(place)/\(name)", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            guard descriptor >= 0 else { continue }
            var status = stat()
            if fstat(descriptor, &status) == 0, status.st_uid == geteuid(), flock(descriptor, LOCK_EX | LOCK_NB) == 0 {
                empty(descriptor)
                rmdir("\(place)/\(name)")
            }
            close(descriptor)
        }
    }

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
