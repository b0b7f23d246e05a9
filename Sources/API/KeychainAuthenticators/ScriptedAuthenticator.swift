// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import Synchronization

/// An authenticator that returns a test's answers, and records the questions.
public final class ScriptedAuthenticator: Authenticator {
    private let state: Mutex<State>

    private struct State {
        var biometry: Biometry
        var canAskForSecrets = true
        var answer: @Sendable (AuthenticationPrompt) -> AuthenticationReply
        var prompts: [AuthenticationPrompt] = []
    }

    /// An authenticator that answers every question by a closure.
    public init(
        biometry: Biometry = .none,
        answer: @escaping @Sendable (AuthenticationPrompt) -> AuthenticationReply = { _ in .cancelled }
    ) {
        state = Mutex(State(biometry: biometry, answer: answer))
    }

    /// The biometry, which a test changes as it likes.
    public var biometry: Biometry {
        get { state.withLock(\.biometry) }
        set { state.withLock { $0.biometry = newValue } }
    }

    /// Whether the user can be prompted for text; `true` unless a test overrides it.
    public var canAskForSecrets: Bool {
        get { state.withLock(\.canAskForSecrets) }
        set { state.withLock { $0.canAskForSecrets = newValue } }
    }

    /// Answers by another closure from now on.
    public func setAnswer(_ answer: @escaping @Sendable (AuthenticationPrompt) -> AuthenticationReply) {
        state.withLock { $0.answer = answer }
    }

    /// The questions so far, in their order.
    public var prompts: [AuthenticationPrompt] { state.withLock(\.prompts) }

    /// Notes the question, and answers by the closure.
    public func ask(_ prompt: AuthenticationPrompt) -> AuthenticationReply {
        let answer = state.withLock { state in
            state.prompts.append(prompt)
            return state.answer
        }
        return prompt.cancellation.isCancelled ? .ended : answer(prompt)
    }
}
