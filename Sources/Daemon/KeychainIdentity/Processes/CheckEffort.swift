// SPDX-License-Identifier: Apache-2.0

import KeychainHost
import Synchronization

/// The work for one check of a process, whose size the process determines: it is limited, and ends with the process and
/// with the deadline.
final class CheckEffort: Sendable {
    /// How much of a process is examined.
    struct Limits: Sendable, Hashable {
        /// The maximum number of bytes of files that are hashed for one check, apart from files that only root can
        /// change, whose hashes are cached; 4 GiB.
        var hashedBytes = 4 << 30
        /// The maximum length of all executable mappings of files; 64 GiB.
        var codeBytes: UInt64 = 64 << 30
    }

    let limits: Limits
    private let deadline: Deadline?
    private let hasExited: @Sendable () -> Bool
    private let hashedBytes = Mutex(0)

    /// The work for a check of a process.
    ///
    /// - Parameters:
    ///   - limits: how much is examined.
    ///   - deadline: when the result is of no use any more; `nil` for never.
    ///   - hasExited: whether the process has exited.
    init(_ limits: Limits, until deadline: Deadline?, hasExited: @escaping @Sendable () -> Bool) {
        self.limits = limits
        self.deadline = deadline
        self.hasExited = hasExited
    }

    /// Whether nobody waits for the result any more.
    var isVain: Bool { deadline?.isOver == true || hasExited() }

    /// Checks that somebody waits for the result.
    func checkIsOfUse() throws(IdentityError) {
        guard !hasExited() else { throw IdentityError("it has exited") }
        guard deadline?.isOver != true else { throw IdentityError("it could not be checked in time") }
    }

    /// Counts a file that is about to be hashed.
    func addHashed(byteCount: Int) throws(IdentityError) {
        let total = hashedBytes.withLock { total in
            total += byteCount
            return total
        }
        guard total <= limits.hashedBytes else {
            throw IdentityError(
                "its executable and its libraries, apart from those that only root can change, have more than "
                    + "\(limits.hashedBytes) bytes, which is too much to be checked"
            )
        }
    }
}
