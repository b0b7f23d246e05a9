// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import Synchronization

/// The number of bytes of messages that connections hold: those of a process, which count as its user's, which count as
/// the server's.
final class BufferedBytes: Sendable {
    private let maximum: Int
    private let whole: BufferedBytes?
    private let count = Atomic<Int>(0)

    /// A count from zero.
    ///
    /// - Parameters:
    ///   - maximum: the limit.
    ///   - whole: the count that this one is part of.
    init(atMost maximum: Int, within whole: BufferedBytes? = nil) {
        self.maximum = maximum
        self.whole = whole
    }

    /// Adds to the number, if all limits allow that.
    ///
    /// - Returns: Whether they do; refused bytes do not count against others.
    func add(_ bytes: Int) -> Bool {
        guard whole?.add(bytes) ?? true else { return false }
        guard count.add(bytes, ordering: .relaxed).newValue > maximum else { return true }
        subtract(bytes)
        return false
    }

    func subtract(_ bytes: Int) {
        count.subtract(bytes, ordering: .relaxed)
        whole?.subtract(bytes)
    }
}

/// The memory of a command, which counts as its program's until ``end()``, or until the last reference is released.
package final class HeldBytes: Sendable {
    // Small messages on the socket pass when others have reached a limit; the number of connections limits these bytes.
    static let uncounted = 16 << 10

    private let whole: BufferedBytes
    private let count: Atomic<Int>

    /// Counts bytes, but for the first ones; `nil` if a limit does not allow that.
    init?(_ byteCount: Int, of whole: BufferedBytes, after uncounted: Int = HeldBytes.uncounted) {
        let counted = max(0, byteCount - uncounted)
        guard counted == 0 || whole.add(counted) else { return nil }
        self.whole = whole
        count = Atomic(counted)
    }

    deinit { end() }

    /// Counts them no more.
    package func end() {
        let counted = count.exchange(0, ordering: .relaxed)
        if counted > 0 { whole.subtract(counted) }
    }
}

extension KeychainError {
    /// All connections together hold too much.
    static let tooMuchBuffered = KeychainError(
        .notAvailable,
        "the keychain daemon has reached its limit of buffered messages; try again later",
        kind: .unavailable
    )
}
