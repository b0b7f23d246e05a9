// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import Synchronization

/// The number of bytes of messages that connections hold: those of a process, which count as its user's, which count as
/// the server's.
final class BufferedBytes: Sendable {
    private let most: Int
    private let whole: BufferedBytes?
    private let count = Atomic<Int>(0)

    /// A count from zero.
    ///
    /// - Parameters:
    ///   - most: the limit.
    ///   - whole: the count that this one is part of.
    init(atMost most: Int, within whole: BufferedBytes? = nil) {
        self.most = most
        self.whole = whole
    }

    /// Adds to the number, if all limits allow that.
    ///
    /// - Returns: Whether they do; what is refused does not count against others.
    func add(_ bytes: Int) -> Bool {
        guard whole?.add(bytes) ?? true else { return false }
        guard count.add(bytes, ordering: .relaxed).newValue > most else { return true }
        subtract(bytes)
        return false
    }

    func subtract(_ bytes: Int) {
        count.subtract(bytes, ordering: .relaxed)
        whole?.subtract(bytes)
    }
}

extension KeychainError {
    /// The connections together hold too much.
    static let tooMuchBuffered = KeychainError(
        .notAvailable,
        "the keychain daemon has reached its limit of buffered messages; try again later",
        kind: .unavailable
    )
}
