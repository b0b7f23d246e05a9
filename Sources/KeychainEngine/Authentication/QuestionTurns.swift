// SPDX-License-Identifier: Apache-2.0

import CKeychainSupport
import Dispatch
import KeychainCore
import Synchronization

/// Lets one evaluation at a time ask questions, in the order in which they came.
final class QuestionTurns: Sendable {
    private let state = Mutex(State())

    private struct State {
        var isTaken = false
        var waiting: [Waiter] = []
        var forkGeneration = keychain_fork_generation()

        /// A child has none of the threads that were asking or waiting.
        mutating func forgetParent() {
            guard forkGeneration != keychain_fork_generation() else { return }
            self = State()
        }
    }

    private final class Waiter: Sendable {
        let semaphore = DispatchSemaphore(value: 0)
    }

    /// Waits for a turn, which ``leave()`` gives back.
    ///
    /// - Returns: Whether there is one; `false` when the time was over or the question was ended first.
    func take(within seconds: Double, _ cancellation: PromptCancellation) -> Bool {
        let waiter: Waiter? = state.withLock { state in
            state.forgetParent()
            guard state.isTaken else {
                state.isTaken = true
                return nil
            }
            let waiter = Waiter()
            state.waiting.append(waiter)
            return waiter
        }
        guard let waiter else { return true }
        let handler = cancellation.onCancel { waiter.semaphore.signal() }
        defer { cancellation.removeHandler(handler) }
        _ = waiter.semaphore.wait(timeout: .now() + seconds)
        return state.withLock { state in
            // Whoever is no longer in the queue was given the turn, perhaps at the last moment.
            guard let index = state.waiting.firstIndex(where: { $0 === waiter }) else { return true }
            state.waiting.remove(at: index)
            return false
        }
    }

    /// Passes the turn on to whoever waits longest.
    func leave() {
        let next: Waiter? = state.withLock { state in
            state.forgetParent()
            guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
            state.isTaken = false
            return nil
        }
        next?.semaphore.signal()
    }
}
