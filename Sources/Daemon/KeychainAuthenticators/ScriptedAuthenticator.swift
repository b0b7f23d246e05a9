// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import Synchronization

/// An authenticator that returns a test's answers, and records the questions.
package final class ScriptedAuthenticator: Authenticator {
    private let state: Mutex<State>

    private struct State {
        var biometry: Biometry
        var canAskForSecrets = true
        var answer: @Sendable (AuthenticationPrompt) -> AuthenticationReply
        var prompts: [AuthenticationPrompt] = []
    }

    /// An authenticator that answers every question by a closure.
    package init(
        biometry: Biometry = .none,
        answer: @escaping @Sendable (AuthenticationPrompt) -> AuthenticationReply = { _ in .cancelled }
    ) {
        state = Mutex(State(biometry: biometry, answer: answer))
    }

    /// The biometry, which a test changes as it likes.
    package var biometry: Biometry {
        get { state.withLock(\.biometry) }
        set { state.withLock { $0.biometry = newValue } }
    }

    /// Whether the user can be prompted for text; `true` unless a test overrides it.
    package var canAskForSecrets: Bool {
        get { state.withLock(\.canAskForSecrets) }
        set { state.withLock { $0.canAskForSecrets = newValue } }
    }

    /// Answers by another closure from now on.
    package func setAnswer(_ answer: @escaping @Sendable (AuthenticationPrompt) -> AuthenticationReply) {
        state.withLock { $0.answer = answer }
    }

    /// The questions so far, in their order.
    package var prompts: [AuthenticationPrompt] { state.withLock(\.prompts) }

    /// Notes the question, and answers by the closure.
    package func ask(_ prompt: AuthenticationPrompt) -> AuthenticationReply {
        let answer = state.withLock { state in
            state.prompts.append(prompt)
            return state.answer
        }
        return prompt.cancellation.isCancelled ? .ended : answer(prompt)
    }
}
