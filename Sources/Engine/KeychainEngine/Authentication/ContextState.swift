// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import Synchronization

/// The state that a keychain holds for one context: what was shown in it, and how the user is prompted.
///
/// Thread-safe.
final class ContextState: Sendable {
    private let state = Mutex(State())

    private struct State {
        var settings = AuthenticationContext.Settings()
        var shown: Set<AuthenticationContext.Factor> = []
        var givenPassword: SecretBytes?
        var typedPassword: SecretBytes?
        var isInvalid = false
        var prompts: [ObjectIdentifier: PromptCancellation] = [:]
    }

    /// A context without any authentication.
    init() {}

    /// Copies the current state of another context, without its prompts.
    init(copying other: ContextState) {
        let known = other.state.withLock { known in
            var known = known
            known.prompts = [:]
            return known
        }
        state.withLock { $0 = known }
    }

    /// Takes what the program has set by the time of a call.
    func update(from given: AuthenticationContext) {
        if given.isInvalid { return invalidate() }
        state.withLock { state in
            guard !state.isInvalid else { return }
            state.settings = given.settings
            state.givenPassword = given.applicationPassword
        }
    }

    /// The public status of the context.
    var status: AuthenticationContext.Status {
        AuthenticationContext.Status(shown: shown, hasApplicationPassword: applicationPassword != nil)
    }

    /// Whether a prompt is open in it.
    var isAsking: Bool { state.withLock { !$0.prompts.isEmpty } }

    /// Forgets the application password, whether typed or set by the program.
    func forgetPassword() {
        state.withLock { state in
            state.givenPassword = nil
            state.typedPassword = nil
        }
    }

    /// How the user is prompted.
    var settings: AuthenticationContext.Settings {
        get { state.withLock(\.settings) }
        set { state.withLock { $0.settings = newValue } }
    }

    /// Everything that was shown; nothing once the context is invalid.
    var shown: Set<AuthenticationContext.Factor> { state.withLock { $0.isInvalid ? [] : $0.shown } }

    /// Notes what was shown; nothing is noted in an invalid context.
    func record(_ factor: AuthenticationContext.Factor) {
        state.withLock { state in
            guard !state.isInvalid else { return }
            state.shown.insert(factor)
        }
    }

    /// The application password that the program set, or else a typed one that proved correct; setting it records a
    /// typed one.
    var applicationPassword: SecretBytes? {
        get { state.withLock { $0.isInvalid ? nil : $0.givenPassword ?? $0.typedPassword } }
        set { state.withLock { $0.typedPassword = $0.isInvalid ? nil : newValue } }
    }

    /// Whether the context was invalidated.
    var isInvalid: Bool { state.withLock(\.isInvalid) }

    /// Invalidates the context: forgets what was shown, and cancels its open prompts.
    func invalidate() {
        let prompts = state.withLock { state in
            state.isInvalid = true
            state.shown = []
            state.givenPassword = nil
            state.typedPassword = nil
            return state.prompts
        }
        for prompt in prompts.values { prompt.cancel() }
    }

    /// Runs `body` with what ends its question when the context is invalidated.
    func withPrompt<Result>(_ body: (PromptCancellation) -> Result) -> Result {
        let prompt = PromptCancellation()
        let isInvalid = state.withLock { state in
            state.prompts[ObjectIdentifier(prompt)] = prompt
            return state.isInvalid
        }
        if isInvalid { prompt.cancel() }
        defer { state.withLock { $0.prompts[ObjectIdentifier(prompt)] = nil } }
        return body(prompt)
    }
}
