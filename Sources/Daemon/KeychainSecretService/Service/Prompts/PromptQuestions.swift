// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import Synchronization

/// The questions that a prompt puts to a person, one after the other until it ends.
final class PromptQuestions: Sendable {
    private let state = Mutex(State())

    private struct State {
        var hasEnded = false
        var current: PromptCancellation?
        /// What the current question takes for granted.
        var assumption: (collection: CollectionName, isLocked: Bool)?
        /// What was told of locks since it began.
        var told: [CollectionName: Bool] = [:]

        var isOutdated: Bool { assumption.map { told[$0.collection] == !$0.isLocked } ?? false }
    }

    /// What came of a question.
    enum Answer<Value> {
        case ended(Value)
        /// There is something else to ask.
        case next
        case refused
    }

    /// Whether the prompt has ended.
    var haveEnded: Bool { state.withLock(\.hasEnded) }

    /// Asks until that is answered, again if a question was cancelled because a lock has changed.
    ///
    /// - Parameter ask: looks at what is locked, and asks one question.
    /// - Returns: What was answered; `nil` if that was refused, or the prompt has ended.
    /// - Throws: what `ask` throws.
    func ask<Value, Failure: Error>(
        _ ask: (PromptCancellation) throws(Failure) -> Answer<Value>
    ) throws(Failure) -> Value? {
        while true {
            // Before the look, so that the question ends if another prompt unlocks it from now on.
            let question = begin()
            switch try ask(question) {
            case .ended(let value): return value
            case .next: break
            case .refused: guard question.isCancelled, !haveEnded else { return nil }
            }
        }
    }

    /// Begins the next question.
    ///
    /// - Returns: Ends the question: it is cancelled by ``note(_:isLocked:)`` and ``end()``.
    func begin() -> PromptCancellation {
        let cancellation = PromptCancellation()
        let hasEnded = state.withLock { state in
            state.current = cancellation
            (state.assumption, state.told) = (nil, [:])
            return state.hasEnded
        }
        if hasEnded { cancellation.cancel() }
        return cancellation
    }

    /// Says what the current question takes for granted, which ends it once that is different.
    func assume(_ collection: CollectionName, isLocked: Bool) {
        cancelOutdated { $0.assumption = (collection, isLocked) }
    }

    /// Ends the question that is being asked if it takes something else for granted: what is still to be asked is
    /// another one.
    func note(_ collection: CollectionName, isLocked: Bool) {
        cancelOutdated { $0.told[collection] = isLocked }
    }

    private func cancelOutdated(_ change: (inout State) -> Void) {
        let outdated = state.withLock { state in
            change(&state)
            return state.isOutdated ? state.current : nil
        }
        outdated?.cancel()
    }

    /// Ends the prompt.
    func end() {
        let current = state.withLock { state in
            state.hasEnded = true
            return state.current
        }
        current?.cancel()
    }
}
