// SPDX-License-Identifier: Apache-2.0

import CKeychainSupport
import Dispatch
import KeychainCore
import Synchronization

/// Lets one evaluation at a time prompt in each queue, in the order in which they came.
final class QuestionTurns: Sendable {
    private let state = Mutex(State())

    private struct State {
        /// The waiters of each queue that has an open prompt.
        var queues: [UInt64: [Waiter]] = [:]
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

    /// Waits for a turn in a queue; ``leave(_:)`` ends the turn.
    ///
    /// - Returns: Whether the turn was obtained; `false` on a timeout, or if the prompt was canceled first.
    func acquire(in queue: UInt64 = 0, within seconds: Double, _ cancellation: PromptCancellation) -> Bool {
        let waiter: Waiter? = state.withLock { state in
            state.forgetParent()
            guard state.queues[queue] != nil else {
                state.queues[queue] = []
                return nil
            }
            let waiter = Waiter()
            state.queues[queue]?.append(waiter)
            return waiter
        }
        guard let waiter else { return true }
        let handler = cancellation.onCancel { waiter.semaphore.signal() }
        defer { cancellation.removeHandler(handler) }
        _ = waiter.semaphore.wait(timeout: .now() + seconds)
        return state.withLock { state in
            // A waiter that is no longer in the queue was given the turn, perhaps at the last moment.
            guard let index = state.queues[queue]?.firstIndex(where: { $0 === waiter }) else { return true }
            state.queues[queue]?.remove(at: index)
            return false
        }
    }

    /// Passes the turn on to the longest waiter.
    func release(_ queue: UInt64 = 0) {
        let next: Waiter? = state.withLock { state in
            state.forgetParent()
            guard state.queues[queue]?.isEmpty == false else {
                state.queues[queue] = nil
                return nil
            }
            return state.queues[queue]?.removeFirst()
        }
        next?.semaphore.signal()
    }
}
