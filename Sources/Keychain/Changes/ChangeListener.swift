// SPDX-License-Identifier: Apache-2.0

import Foundation

/// One who listens: a buffer with an end, and a task that waits.
final class ChangeListener: Sendable {
    let scope: ChangeScope
    private let state = Guarded(State())

    private struct State {
        var changes: [KeychainChange] = []
        var missed = 0
        var waiting: (number: Int, CheckedContinuation<KeychainChange?, Never>)?
        var lastNumber = 0
        var cancelled: Set<Int> = []
    }

    /// How many changes wait for a listener; older ones give way.
    static let capacity = 256

    init(_ scope: ChangeScope) { self.scope = scope }

    func deliver(_ change: KeychainChange) {
        let waiting = state.withLock { state -> CheckedContinuation<KeychainChange?, Never>? in
            if let waiting = state.waiting {
                state.waiting = nil
                return waiting.1
            }
            if state.changes.count == Self.capacity {
                state.changes.removeFirst()
                state.missed += 1
            }
            state.changes.append(change)
            return nil
        }
        waiting?.resume(returning: change)
    }

    /// The next change; `nil` when the task is cancelled.
    func next() async -> KeychainChange? {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in wait(number, continuation) }
        } onCancel: {
            cancel(number)
        }
    }

    private func wait(_ number: Int, _ continuation: CheckedContinuation<KeychainChange?, Never>) {
        enum Outcome {
            case waits
            case has(KeychainChange?)
        }
        let outcome = state.withLock { state -> Outcome in
            if state.cancelled.remove(number) != nil { return .has(nil) }
            if state.missed > 0 {
                defer { state.missed = 0 }
                return .has(.missed(state.missed))
            }
            if !state.changes.isEmpty { return .has(state.changes.removeFirst()) }
            // One task iterates; a second one that waits as well gets the end.
            if state.waiting != nil { return .has(nil) }
            state.waiting = (number, continuation)
            return .waits
        }
        if case .has(let change) = outcome { continuation.resume(returning: change) }
    }

    private func cancel(_ number: Int) {
        let waiting = state.withLock { state -> CheckedContinuation<KeychainChange?, Never>? in
            guard let waiting = state.waiting, waiting.number == number else {
                state.cancelled.insert(number)
                return nil
            }
            state.waiting = nil
            return waiting.1
        }
        waiting?.resume(returning: nil)
    }
}
