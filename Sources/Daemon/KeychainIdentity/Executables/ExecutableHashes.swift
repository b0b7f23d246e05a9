// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainHost
import Synchronization

/// The SHA-256 of files, cached for those that only root can change.
///
/// A process that may write to a file can change its contents without changing its ``FileMark``: writes through a
/// shared mapping do not change ctime on tmpfs, nor anywhere else while the page is still dirty. So all other files are
/// hashed each time, once for all threads that wait for the same one.
final class ExecutableHashes: Sendable {
    private let known = Mutex<[FileMark: SHA256Value]>([:])
    private let trust: FileTrust
    private let computation = SharedComputation<FileMark, Result<SHA256Value, IdentityError>>()

    /// The number of files in the cache, after which it is emptied.
    private static let capacity = 1024

    /// An empty cache.
    ///
    /// - Parameter trust: which files are cached.
    init(_ trust: FileTrust = FileTrust()) { self.trust = trust }

    /// The digest of an open file.
    ///
    /// - Returns: The digest, and the mark of the file at that time.
    /// - Throws: ``IdentityError`` if it cannot be read, is too large for a program, or is being changed.
    func digest(of file: Int32, _ path: String) throws(IdentityError) -> (SHA256Value, FileMark) {
        let before = try mark(of: file, path)
        guard before.byteCount <= ProgramProof.largestByteCount else { throw IdentityError("\(path) is too large") }
        let isCacheable = trust.objection(to: file) == nil
        if isCacheable, let digest = known.withLock({ $0[before] }) { return (digest, before) }
        let result = computation.value(of: before) {
            Result { () throws(IdentityError) -> SHA256Value in
                guard let digest = SHA256Value(ofFile: file, byteCount: before.byteCount) else {
                    throw .system("reading", on: path, failure: errno)
                }
                guard try mark(of: file, path) == before else { throw IdentityError("\(path) is being modified") }
                return digest
            }
        }
        let digest = try result.get()
        // A change within the same tick of the file system's clock would not change the mark.
        if isCacheable, Self.isSettled(file) {
            known.withLock { known in
                if known.count >= Self.capacity { known = [:] }
                known[before] = digest
            }
        }
        return (digest, before)
    }

    private func mark(of file: Int32, _ path: String) throws(IdentityError) -> FileMark {
        var status = stat()
        guard fstat(file, &status) == 0 else { throw .system("fstat", on: path, failure: errno) }
        return FileMark(status)
    }

    private static func isSettled(_ file: Int32) -> Bool {
        var status = stat()
        return fstat(file, &status) == 0 && FileTime(status.st_ctim).isPast
    }
}
