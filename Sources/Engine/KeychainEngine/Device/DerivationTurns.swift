// SPDX-License-Identifier: Apache-2.0

import Dispatch
import KeychainCore
import KeychainProtection
import Synchronization

/// Limits the number of concurrent key derivations from passcodes and passwords, over all keychains that share it.
///
/// A derivation takes 128 MiB of memory, and at maximum 256 MiB (``ScryptParameters``).
///
/// A free turn goes to the keychain with the fewest derivations in progress, and among those to the caller that has
/// waited longest, so that no keychain delays another by more than one turn.
package final class DerivationTurns: Sendable {
    private let maximum: Int
    private let patienceMilliseconds: Int
    private let state = Mutex(State())

    private struct State {
        var underWay: [ObjectIdentifier: Int] = [:]
        var count = 0
        var waiting: [Waiter] = []

        mutating func begin(_ keychain: ObjectIdentifier) {
            underWay[keychain, default: 0] += 1
            count += 1
        }

        mutating func end(_ keychain: ObjectIdentifier) {
            let left = underWay[keychain, default: 1] - 1
            underWay[keychain] = left == 0 ? nil : left
            count -= 1
        }

        /// Removes and returns the caller whose turn is next.
        mutating func takeNext() -> Waiter? {
            let next = waiting.indices.min { underWay(waiting[$0]) < underWay(waiting[$1]) }
            return next.map { waiting.remove(at: $0) }
        }

        private func underWay(_ waiter: Waiter) -> Int { underWay[waiter.keychain, default: 0] }
    }

    private final class Waiter: Sendable {
        let keychain: ObjectIdentifier
        let semaphore = DispatchSemaphore(value: 0)

        init(_ keychain: ObjectIdentifier) { self.keychain = keychain }
    }

    /// Creates turns.
    ///
    /// - Parameters:
    ///   - maximum: the maximum number of concurrent derivations.
    ///   - patienceMilliseconds: how long a caller waits for a turn.
    package init(atMost maximum: Int = 4, patienceMilliseconds: Int = 30_000) {
        self.maximum = maximum
        self.patienceMilliseconds = patienceMilliseconds
    }

    /// How many callers wait for a turn.
    package var waitingCount: Int { state.withLock(\.waiting.count) }

    /// Runs `body` in a turn of a keychain.
    ///
    /// - Parameters:
    ///   - keychain: the keychain.
    ///   - waits: whether to wait for the turn.
    ///   - body: derives a key.
    /// - Returns: What `body` returns.
    /// - Throws: `errSecNotAvailable` if there was none in time; `body` was not run then. What `body` throws.
    package func withTurn<Result>(
        for keychain: ObjectIdentifier,
        waits: Bool = true,
        _ body: () throws(KeychainError) -> Result
    ) throws(KeychainError) -> Result {
        try begin(keychain, waits: waits)
        defer { end(keychain) }
        return try body()
    }

    private func begin(_ keychain: ObjectIdentifier, waits: Bool) throws(KeychainError) {
        let waiter = Waiter(keychain)
        let isFree = state.withLock { state in
            let isFree = state.count < maximum
            if isFree { state.begin(keychain) } else if waits { state.waiting.append(waiter) }
            return isFree
        }
        if isFree { return }
        guard waits else { throw .tooManyDerivations }
        _ = waiter.semaphore.wait(timeout: .now() + .milliseconds(patienceMilliseconds))
        let isTaken = state.withLock { state in
            // A caller that is no longer waiting was given the turn, perhaps at the last moment.
            guard let index = state.waiting.firstIndex(where: { $0 === waiter }) else { return true }
            state.waiting.remove(at: index)
            return false
        }
        guard isTaken else { throw .tooManyDerivations }
    }

    private func end(_ keychain: ObjectIdentifier) {
        let next = state.withLock { state in
            state.end(keychain)
            let next = state.takeNext()
            if let next { state.begin(next.keychain) }
            return next
        }
        next?.semaphore.signal()
    }
}

/// Derives the keys of one keychain from passcodes and passwords, in turns with others if its device has them.
final class KeyDerivations: Sendable {
    private let turns: DerivationTurns?

    init(_ turns: DerivationTurns?) { self.turns = turns }

    /// Runs `body`, which derives one key; fails without waiting if `waits` is false and all turns are taken.
    func derive<Key>(
        waits: Bool = true,
        _ body: () throws(ProtectionError) -> Key
    ) throws(KeychainError) -> Key {
        guard let turns else { return try protecting(body) }
        return try turns.withTurn(for: ObjectIdentifier(self), waits: waits) { () throws(KeychainError) in
            try protecting(body)
        }
    }
}

extension KeychainError {
    fileprivate static let tooManyDerivations = KeychainError(
        .notAvailable,
        "too many passcodes and passwords are being checked at the same time; try again later",
        kind: .unavailable
    )
}
