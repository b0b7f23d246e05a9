// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainHost
import KeychainSupport
import KeychainTestSupport
import Testing

/// Descriptors that the program closes behind the library's back, and whose numbers its own files get.
struct ClosedDescriptorTests {
    @Test("a file lock whose descriptor the program has closed leaves the file of the program that has its number")
    func fileLock() throws {
        let folder = try TemporaryFolder()
        let lockPath = folder.path(of: "lock")
        let lock = try FileLock(at: lockPath, until: Deadline(milliseconds: 0))
        let number = try #require(Self.descriptor(of: lockPath))
        let ownPath = folder.path(of: "own")
        let own = open(ownPath, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        #expect(dup2(own, number) == number)
        close(own)
        #expect(flock(number, LOCK_EX | LOCK_NB) == 0)
        _ = consume lock
        #expect(Self.descriptor(of: ownPath) == number)
        // It is still locked.
        let other = open(ownPath, O_RDWR | O_CLOEXEC)
        #expect(flock(other, LOCK_EX | LOCK_NB) != 0)
        close(other)
        close(number)
    }

    @Test("a folder watch whose descriptor the program has closed neither reads nor closes a watch of the program")
    func folderWatch() throws {
        let folder = try TemporaryFolder()
        var watch: FolderWatch? = try FolderWatch(folder.path, for: .newNames)
        let number = try #require(watch?.descriptor)
        let own = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
        #expect(inotify_add_watch(own, folder.path, UInt32(IN_CREATE)) >= 0)
        #expect(dup2(own, number) == number)
        close(own)
        close(open(folder.path(of: "new"), O_RDWR | O_CREAT | O_CLOEXEC, 0o600))
        #expect(watch?.readChangedNames() == nil)
        watch = nil
        var buffer = [UInt8](repeating: 0, count: 4096)
        #expect(read(number, &buffer, buffer.count) > 0)
        close(number)
    }

    @Test("a descriptor that was closed before its opening was numbered is no opening of the library's")
    func closedAtOnce() throws {
        let folder = try TemporaryFolder()
        let descriptor = CSupport.openLockFile(folder.path(of: "lock"), O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        #expect(CSupport.isPrivateOpening(descriptor, CSupport.privateSerial(descriptor)))
        close(descriptor)
        // The program opens its own under that number.
        let own = open(folder.path(of: "own"), O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        #expect(dup2(own, descriptor) == descriptor)
        let serial = CSupport.privateSerial(descriptor)
        #expect(serial == 0 && !CSupport.isPrivateOpening(descriptor, serial))
        if own != descriptor { close(own) }
        close(descriptor)
    }

    /// The descriptor of this process that is open on a file.
    private static func descriptor(of path: String) -> Int32? {
        let wanted = FileIdentity(path: path)
        return (Int32(0)..<4096).first { number in
            FileIdentity(descriptor: number).map { $0 == wanted } ?? false
        }
    }
}
