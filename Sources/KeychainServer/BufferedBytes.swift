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

    /// Changes the number; returns whether it is within all limits, or at least less than before.
    func change(by difference: Int) -> Bool {
        let isAllowed = whole?.change(by: difference) ?? true
        let isFew = count.add(difference, ordering: .relaxed).newValue <= most
        return isAllowed && (isFew || difference < 0)
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
