// SPDX-License-Identifier: Apache-2.0

// The members of timespec belong to whichever C module the compiler loads first.
import CKeychainSupport
import Glibc
import KeychainCore
import KeychainHost
import KeychainProtection

/// Signals to processes that the device was locked: a file of random bytes next to the store, which every lock
/// overwrites.
///
/// A process remembers the bytes that it read when it unlocked, and is locked as soon as it reads any others. So a lock
/// waits for no other process, and a forged value cannot pass for a later or an earlier one. Restoring the bytes that a
/// lock overwrote undoes nothing: the kernel records the time of every change, to its tick, and only root can set it
/// (st_ctim, inode(7)).
struct LockMark: Sendable {
    static let fileName = "lock.mark"

    private let folder: PrivateDirectory

    /// The mark of a folder.
    init(_ folder: PrivateDirectory) { self.folder = folder }

    /// A mark as it was read; another file with the same bytes is another mark, and so is one that was written again.
    struct Value: Sendable, Hashable {
        let bytes: Bytes16
        fileprivate let file: FileIdentity
        fileprivate let changed: FileTime
    }

    /// The current mark; `nil` if it is missing or invalid, which every process treats as a lock.
    func read() -> Value? {
        let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        return Self.value(descriptor)
    }

    /// The current mark, for an unlock; created if there is none.
    ///
    /// - Throws: `errSecNotAvailable` if there is something else at its path, or if no file can be created.
    func readOrMake() throws(KeychainError) -> Value {
        if let value = read() { return value }
        let descriptor: Int32
        do { descriptor = try folder.openFile(Self.fileName) } catch { throw KeychainError(error) }
        defer { close(descriptor) }
        guard Self.overwrite(descriptor), ftruncate(descriptor, off_t(Bytes16.count)) == 0,
            let value = Self.value(descriptor)
        else { throw KeychainError(FileError.system(call: "write", path: path, errno: errno)) }
        return value
    }

    /// Locks: no process that unlocked before reads the same mark again.
    ///
    /// If there is no mark, no process has unlocked, and none is created. Nothing is synced: every unlock ends with the
    /// boot, as does anything that a crash could undo.
    ///
    /// - Throws: `errSecReadOnly` if the mark can neither be overwritten nor removed.
    func replace() throws(KeychainError) {
        let failure: Int32
        do throws(FileError) {
            guard try folder.hasFile(Self.fileName) else { return }
            let descriptor = try folder.openFile(Self.fileName)
            defer { close(descriptor) }
            if Self.overwrite(descriptor) { return }
            failure = errno
        } catch .system(_, _, let errno) {
            failure = errno
        } catch {
            // There is no mark, so that every process is locked already.
            return
        }
        // Some file systems need room for every change.
        guard unlink(path) != 0, errno != ENOENT else { return }
        throw KeychainError(
            .readOnly,
            "the lock could not be recorded, so only this process is locked",
            kind: .storage(.readOnly),
            facts: FileError.system(call: "write", path: path, errno: failure).facts
        )
    }

    private var path: String { folder.path(of: Self.fileName) }

    /// In one call and in place, so that no process reads a partial mark, and no disk space is needed.
    private static func overwrite(_ descriptor: Int32) -> Bool {
        SystemRandomSource().bytes16().withUnsafeBytes { bytes in
            while true {
                let count = pwrite(descriptor, bytes.baseAddress, bytes.count, 0)
                if count < 0, errno == EINTR { continue }
                return count == bytes.count
            }
        }
    }

    private static func value(_ descriptor: Int32) -> Value? {
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid(),
            status.st_mode & 0o077 == 0, status.st_size == Bytes16.count
        else { return nil }
        let bytes = withUnsafeTemporaryAllocation(byteCount: Bytes16.count, alignment: 8) { buffer in
            pread(descriptor, buffer.baseAddress, buffer.count, 0) == buffer.count
                ? Bytes16(UnsafeRawBufferPointer(buffer)) : nil
        }
        return bytes.map { Value(bytes: $0, file: FileIdentity(status), changed: FileTime(status.st_ctim)) }
    }
}
