// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// What was shown in one context, and how the person is asked in it: what an `LAContext` is made of.
///
/// Thread-safe. Equal to itself only.
public final class AuthenticationContext: Sendable {
    private let state = Mutex(State())

    private struct State {
        var settings = Settings()
        var shown: Set<Factor> = []
        var applicationPassword: SecretBytes?
        var isInvalid = false
        var prompts: [ObjectIdentifier: PromptCancellation] = [:]
    }

    /// How the person is asked.
    public struct Settings: Sendable, Hashable {
        /// Whether asking is forbidden.
        public var interactionNotAllowed = false
        /// Why the person is asked, when a keychain query does the asking.
        public var localizedReason = ""
        /// What to write on the button that falls back to the passcode; empty hides it.
        public var localizedFallbackTitle: String?
        /// What to write on the button that cancels.
        public var localizedCancelTitle: String?
        /// For how many seconds an earlier recognition counts.
        public var reuseDurationSeconds = 0.0
    }

    /// Something that a person has shown.
    public enum Factor: Sendable, Hashable {
        /// The passcode.
        case passcode
        /// Biometry, and which set was enrolled then.
        case biometry(enrolledSet: Bytes16)
    }

    /// A context in which nobody has authenticated.
    public init() {}

    /// How the person is asked.
    public var settings: Settings {
        get { state.withLock(\.settings) }
        set { state.withLock { $0.settings = newValue } }
    }

    /// Changes how the person is asked.
    public func configure(_ change: (inout Settings) -> Void) { state.withLock { change(&$0.settings) } }

    /// Everything that was shown; nothing once the context is invalid.
    public var shown: Set<Factor> { state.withLock { $0.isInvalid ? [] : $0.shown } }

    /// Notes what was shown; nothing is noted in an invalid context.
    public func note(_ factor: Factor) {
        state.withLock { state in
            guard !state.isInvalid else { return }
            state.shown.insert(factor)
        }
    }

    /// The application password that the program set, or that was typed and found right.
    public var applicationPassword: SecretBytes? {
        get { state.withLock { $0.isInvalid ? nil : $0.applicationPassword } }
        set { state.withLock { $0.applicationPassword = $0.isInvalid ? nil : newValue } }
    }

    /// Whether the context was invalidated.
    public var isInvalid: Bool { state.withLock(\.isInvalid) }

    /// Ends the use of the context: forgets what was shown, and ends the questions that are being asked in it.
    public func invalidate() {
        let prompts = state.withLock { state in
            state.isInvalid = true
            state.shown = []
            state.applicationPassword = nil
            return state.prompts
        }
        for prompt in prompts.values { prompt.cancel() }
    }

    /// Runs `body` with what ends its question when the context is invalidated.
    public func withPrompt<Result>(_ body: (PromptCancellation) -> Result) -> Result {
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

extension AuthenticationContext: Hashable {
    /// Whether both are the same context.
    public static func == (left: AuthenticationContext, right: AuthenticationContext) -> Bool { left === right }

    /// Feeds which context it is.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
