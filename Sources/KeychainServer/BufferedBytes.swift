// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import Synchronization

/// The number of bytes of messages that several connections hold.
final class BufferedBytes: Sendable {
    private let most: Int
    private let count = Atomic<Int>(0)

    init(atMost most: Int) { self.most = most }

    /// Changes the number; returns whether it is within the limit, or at least less than before.
    func change(by difference: Int) -> Bool {
        count.add(difference, ordering: .relaxed).newValue <= most || difference < 0
    }

    func subtract(_ bytes: Int) { count.subtract(bytes, ordering: .relaxed) }
}

extension KeychainError {
    /// The connections together hold too much.
    static let tooMuchBuffered = KeychainError(
        .notAvailable,
        "the keychain daemon has reached its limit of buffered messages; try again later",
        kind: .unavailable
    )
}
