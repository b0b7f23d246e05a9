// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainHost
import Synchronization

/// The SHA-256 of files, cached for those that only root can change.
///
/// A process that may write to a file can change its contents without changing its ``FileMark``: writes through a
/// shared mapping do not change ctime on tmpfs, nor anywhere else while the page is still dirty. So all other files are
/// hashed each time, once for all threads that wait for the same one.
struct ExecutableHashes: Sendable {
    private let shared = Shared()
    private let trust: FileTrust
    /// The check of a process for which files are hashed; `nil` for none.
    private(set) var effort: CheckEffort?

    private final class Shared: Sendable {
        let known = Mutex<[FileMark: SHA256Value]>([:])
        /// `nil` if a thread has stopped, because nobody waits for its own check any more.
        let computation = SharedComputation<FileMark, Result<SHA256Value, IdentityError>?>()
    }

    /// The number of files in the cache, after which it is emptied.
    private static let capacity = 1024

    /// An empty cache.
    ///
    /// - Parameter trust: which files are cached.
    init(_ trust: FileTrust = FileTrust()) { self.trust = trust }

    /// The same cache, for a check of a process.
    func within(_ effort: CheckEffort?) -> ExecutableHashes {
        var hashes = self
        hashes.effort = effort
        return hashes
    }

    /// The digest of an open file.
    ///
    /// - Returns: The digest, and the mark of the file at that time.
    /// - Throws: ``IdentityError`` if it cannot be read, is too large for a program or for the check, or is being
    ///   changed, or if nobody waits for the check any more.
    func digest(of file: Int32, _ path: String) throws(IdentityError) -> (SHA256Value, FileMark) {
        let before = try mark(of: file, path)
        guard before.byteCount <= ProgramProof.largestByteCount else { throw IdentityError("\(path) is too large") }
        let isCacheable = trust.objection(to: file) == nil
        if isCacheable, let digest = shared.known.withLock({ $0[before] }) { return (digest, before) }
        if !isCacheable { try effort?.addHashed(byteCount: before.byteCount) }
        var result: Result<SHA256Value, IdentityError>?
        // Another thread may have stopped, because its process has exited.
        while result == nil {
            try effort?.checkIsOfUse()
            result = shared.computation.value(of: before) { hash(file, path, marked: before) }
        }
        guard let digest = try result?.get() else { throw IdentityError("\(path) was not hashed") }
        // A change within the same tick of the file system's clock would not change the mark.
        if isCacheable, Self.isSettled(file) {
            shared.known.withLock { known in
                if known.count >= Self.capacity { known = [:] }
                known[before] = digest
            }
        }
        return (digest, before)
    }

    /// The digest of a file with a mark; `nil` if nobody waits for it any more.
    private func hash(_ file: Int32, _ path: String, marked before: FileMark) -> Result<SHA256Value, IdentityError>? {
        let digest = SHA256Value(ofFile: file, byteCount: before.byteCount) { effort?.isVain == true }
        let failure = errno
        if digest == nil, failure == ECANCELED { return nil }
        return Result { () throws(IdentityError) -> SHA256Value in
            guard let digest else { throw .system("reading", on: path, failure: failure) }
            guard try mark(of: file, path) == before else { throw IdentityError("\(path) is being modified") }
            return digest
        }
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
