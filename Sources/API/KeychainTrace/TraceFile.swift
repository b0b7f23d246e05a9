// SPDX-License-Identifier: Apache-2.0

import Crypto
import FoundationEssentials
import Glibc
import KeychainSupport

/// A file to which several processes can append lines.
///
/// It is opened for each line, so that a fork inherits nothing, and a file that another process has renamed is not
/// written any further.
struct TraceFile: Sendable {
    let path: String
    /// How many bytes it may have before it is renamed.
    let limit: Int

    /// Appends a line; what cannot be written is left out.
    func append(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        for _ in 0..<Self.maximumAttempts {
            guard let descriptor = try? open() else { return }
            var status = stat()
            let isFull =
                fstat(descriptor, &status) == 0 && status.st_size > 0 && Int(status.st_size) + bytes.count > limit
            if isFull {
                switch moveAside(descriptor, status) {
                case .done:
                    CSupport.closePrivate(descriptor)
                    continue
                // The limit applies: the line is omitted.
                case .impossible:
                    CSupport.closePrivate(descriptor)
                    return
                case .underWay: break
                }
            }
            if Self.mayGrow(to: Int(status.st_size) + bytes.count) { Self.write(bytes, to: descriptor) }
            CSupport.closePrivate(descriptor)
            return
        }
    }

    /// As often as another process may have renamed the file in the meantime.
    private static let maximumAttempts = 3

    /// Creates the file if it does not exist.
    ///
    /// - Throws: The errors of ``open()``.
    func make() throws(TraceError) { CSupport.closePrivate(try open()) }

    /// Opens the file, creating it if necessary.
    ///
    /// - Throws: ``TraceError/unusable(path:_:)`` for anything but a file of this user alone.
    func open() throws(TraceError) -> Int32 {
        // Non-blocking, in case it is a pipe. Closed immediately in a forked child, like every locked descriptor.
        let flags = O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY
        let descriptor = CSupport.openLockFile(path, flags, 0o600)
        guard descriptor >= 0 else { throw .unusable(path: path, String(cString: strerror(errno))) }
        var status = stat()
        let isFile = fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
        guard isFile, status.st_uid == geteuid(), status.st_mode & 0o077 == 0 else {
            CSupport.closePrivate(descriptor)
            throw .unusable(path: path, "it is not a file of this user alone, of mode 0600")
        }
        return descriptor
    }

    /// The result of renaming the file.
    private enum Move {
        case done
        /// Another process is at it, and this one writes on.
        case underWay
        case impossible
    }

    /// Renames the file unless another process has.
    private func moveAside(_ descriptor: Int32, _ status: stat) -> Move {
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { return .underWay }
        defer { flock(descriptor, LOCK_UN) }
        var current = stat()
        guard lstat(path, &current) == 0 else { return errno == ENOENT ? .done : .impossible }
        guard current.st_ino == status.st_ino, current.st_dev == status.st_dev else { return .done }
        return rename(path, "\(path).1") == 0 ? .done : .impossible
    }

    /// Whether the limit of the process leaves room; beyond it, a write is the end of the process.
    private static func mayGrow(to size: Int) -> Bool {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0 else { return false }
        return UInt64(size) <= UInt64(limit.rlim_cur)
    }

    private static func write(_ bytes: [UInt8], to descriptor: Int32) {
        let written = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
        // If only a part was written, the next line has to begin on its own line.
        if written > 0, written < bytes.count { _ = Glibc.write(descriptor, "\n", 1) }
    }

    // MARK: Key

    /// The key for hiding values, created by the first process.
    func hashKey() throws(TraceError) -> SymmetricKey {
        let keyPath = "\(path).key"
        let made = SymmetricKey(size: .bits256)
        let temporary = "\(keyPath).\(getpid())"
        unlink(temporary)
        let descriptor = Glibc.open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .unusable(path: temporary, String(cString: strerror(errno))) }
        let isWritten = made.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) == $0.count }
        Glibc.close(descriptor)
        // The name appears only with the complete key, and never replaces another one.
        let isLinked = isWritten && link(temporary, keyPath) == 0
        let failure = errno
        unlink(temporary)
        if isLinked { return made }
        guard isWritten, failure == EEXIST else { throw .unusable(path: keyPath, "the key cannot be written") }
        return try readKey(keyPath)
    }

    private func readKey(_ keyPath: String) throws(TraceError) -> SymmetricKey {
        let descriptor = Glibc.open(keyPath, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw .unusable(path: keyPath, String(cString: strerror(errno))) }
        defer { Glibc.close(descriptor) }
        var status = stat()
        var bytes = [UInt8](repeating: 0, count: 33)
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid(),
            status.st_mode & 0o077 == 0, read(descriptor, &bytes, bytes.count) == 32
        else { throw .unusable(path: keyPath, "it is not a key of this user alone, of 32 bytes and mode 0600") }
        defer { bytes.withUnsafeMutableBytes { CSupport.wipe($0.baseAddress, $0.count) } }
        return SymmetricKey(data: bytes.prefix(32))
    }
}
