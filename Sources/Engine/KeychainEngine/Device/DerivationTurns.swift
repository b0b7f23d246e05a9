// SPDX-License-Identifier: Apache-2.0

import Dispatch
import KeychainCore
import KeychainProtection
import Synchronization

/// Limits the number of concurrent key derivations from passcodes and passwords, over all keychains that share it.
///
/// A derivation takes 128 MiB of memory, and at maximum 256 MiB (``ScryptParameters``).
///
/// A free turn goes to the keychain with the fewest derivations in progress, among those to the program with the
/// fewest, and among those to the caller that has waited longest: so no keychain delays another by more than one turn,
/// and neither does a program another one of the same keychain.
package final class DerivationTurns: Sendable {
    private let maximum: Int
    private let patienceMilliseconds: Int
    private let state = Mutex(State())

    /// Whose a derivation is: a program's, of a keychain.
    private struct Origin: Sendable {
        let keychain: ObjectIdentifier
        let program: UInt64?
    }

    private struct State {
        var underWay: [Origin] = []
        var waiting: [Waiter] = []

        mutating func end(_ origin: Origin) {
            let index = underWay.firstIndex { $0.keychain == origin.keychain && $0.program == origin.program }
            if let index { underWay.remove(at: index) }
        }

        /// Removes and returns the caller whose turn is next.
        mutating func takeNext() -> Waiter? {
            let next = waiting.indices.min { counts(waiting[$0].origin) < counts(waiting[$1].origin) }
            return next.map { waiting.remove(at: $0) }
        }

        /// How many derivations of the same keychain, and of the same program, are in progress.
        private func counts(_ origin: Origin) -> (Int, Int) {
            let ofKeychain = underWay.filter { $0.keychain == origin.keychain }
            return (ofKeychain.count, ofKeychain.count { $0.program == origin.program })
        }
    }

    private final class Waiter: Sendable {
        let origin: Origin
        let semaphore = DispatchSemaphore(value: 0)

        init(_ origin: Origin) { self.origin = origin }
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
    ///   - program: the program on whose behalf it is; `nil` where programs are not distinguished.
    ///   - waits: whether to wait for the turn.
    ///   - body: derives a key.
    /// - Returns: What `body` returns.
    /// - Throws: `errSecNotAvailable` if there was none in time; `body` was not run then. What `body` throws.
    package func withTurn<Result>(
        for keychain: ObjectIdentifier,
        of program: UInt64? = nil,
        waits: Bool = true,
        _ body: () throws(KeychainError) -> Result
    ) throws(KeychainError) -> Result {
        let origin = Origin(keychain: keychain, program: program)
        try begin(origin, waits: waits)
        defer { end(origin) }
        return try body()
    }

    private func begin(_ origin: Origin, waits: Bool) throws(KeychainError) {
        let waiter = Waiter(origin)
        let isFree = state.withLock { state in
            let isFree = state.underWay.count < maximum
            if isFree { state.underWay.append(origin) } else if waits { state.waiting.append(waiter) }
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

    private func end(_ origin: Origin) {
        let next = state.withLock { state in
            state.end(origin)
            let next = state.takeNext()
            if let next { state.underWay.append(next.origin) }
            return next
        }
        next?.semaphore.signal()
    }
}

/// Derives the keys of one keychain from passcodes and passwords, in turns with others if its device has them.
final class KeyDerivations: Sendable {
    private let turns: DerivationTurns?
    private let program: @Sendable () -> UInt64?

    /// Derivations in turns, if there are any.
    ///
    /// - Parameters:
    ///   - turns: the turns.
    ///   - program: the program on whose behalf the calling thread derives a key (``DeviceOptions/share``).
    init(_ turns: DerivationTurns?, for program: @escaping @Sendable () -> UInt64? = { nil }) {
        self.turns = turns
        self.program = program
    }

    /// Runs `body`, which derives one key; fails without waiting if `waits` is false and all turns are taken.
    func derive<Key>(
        waits: Bool = true,
        _ body: () throws(ProtectionError) -> Key
    ) throws(KeychainError) -> Key {
        guard let turns else { return try protecting(body) }
        let keychain = ObjectIdentifier(self)
        return try turns.withTurn(for: keychain, of: program(), waits: waits) { () throws(KeychainError) in
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
