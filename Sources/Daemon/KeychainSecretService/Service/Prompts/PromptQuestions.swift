// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import Synchronization

/// The questions that a prompt puts to a person, one after the other until it ends.
final class PromptQuestions: Sendable {
    private let state = Mutex(State())

    private struct State {
        var hasEnded = false
        var current: PromptCancellation?
    }

    /// Whether the prompt has ended.
    var haveEnded: Bool { state.withLock(\.hasEnded) }

    /// Begins the next question.
    ///
    /// - Returns: Ends the question: it is cancelled by ``restart()`` and ``end()``.
    func begin() -> PromptCancellation {
        let cancellation = PromptCancellation()
        let hasEnded = state.withLock { state in
            state.current = cancellation
            return state.hasEnded
        }
        if hasEnded { cancellation.cancel() }
        return cancellation
    }

    /// Ends the question that is being asked, because something was unlocked or locked meanwhile: what is still to be
    /// asked is another one.
    func restart() { state.withLock(\.current)?.cancel() }

    /// Ends the prompt.
    func end() {
        let current = state.withLock { state in
            state.hasEnded = true
            return state.current
        }
        current?.cancel()
    }
}
