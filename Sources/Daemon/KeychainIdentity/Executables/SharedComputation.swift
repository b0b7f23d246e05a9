// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization

/// Computes the value for a key once for all threads that wait for it.
///
/// The inputs of the value may change. So a thread gets no value whose computation had started before its request: it
/// waits for the end of that one, and shares the next with all threads that have requested it by then.
final class SharedComputation<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private let state = Mutex<[Key: Rounds]>([:])

    private struct Rounds {
        var running: Round
        var next: Round?
    }

    private final class Round: Sendable {
        private let value = Mutex<Value?>(nil)
        private let ended = DispatchGroup()

        init() { ended.enter() }

        func end(with result: Value) {
            value.withLock { $0 = result }
            ended.leave()
        }

        /// The value, once it is computed.
        func wait() -> Value? {
            ended.wait()
            return value.withLock(\.self)
        }
    }

    private enum Role {
        case first(Round)
        case next(Round, after: Round)
        case waits(Round)
    }

    /// The value of a key.
    ///
    /// - Parameters:
    ///   - key: the key.
    ///   - compute: computes it; called unless another thread's result is shared.
    /// - Returns: The value.
    func value(of key: Key, _ compute: () -> Value) -> Value {
        let role = state.withLock { state -> Role in
            guard let rounds = state[key] else {
                let round = Round()
                state[key] = Rounds(running: round)
                return .first(round)
            }
            if let next = rounds.next { return .waits(next) }
            let next = Round()
            state[key]?.next = next
            return .next(next, after: rounds.running)
        }
        switch role {
        case .first(let round): return run(round, for: key, compute)
        case .next(let round, let running):
            _ = running.wait()
            return run(round, for: key, compute)
        case .waits(let round): return round.wait() ?? compute()
        }
    }

    private func run(_ round: Round, for key: Key, _ compute: () -> Value) -> Value {
        let value = compute()
        state.withLock { state in
            // From now on, threads that request it wait for one that has not started.
            state[key] = state[key]?.next.map { Rounds(running: $0) }
        }
        round.end(with: value)
        return value
    }
}
