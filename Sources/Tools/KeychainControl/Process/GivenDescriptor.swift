// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization

/// The descriptors that options name.
///
/// Where this program was not started with one, it may have opened a file of its own with that number since, such as
/// the keychain.
enum GivenDescriptor {
    private static let missing = Mutex<Set<Int32>>([])

    /// Notes which numbers among the arguments are no open descriptors, before this program opens any.
    static func recordMissing(in arguments: [String]) {
        let numbers = arguments.compactMap { $0.split(separator: "=").last.flatMap { Int32($0) } }
        let closed = numbers.filter { fcntl($0, F_GETFD) < 0 }
        missing.withLock { $0.formUnion(closed) }
    }

    /// Whether this program was started with it.
    static func isGiven(_ descriptor: Int32) -> Bool { !missing.withLock { $0.contains(descriptor) } }
}
