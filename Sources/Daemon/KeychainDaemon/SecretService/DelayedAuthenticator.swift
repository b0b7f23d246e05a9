// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// Shows the questions of a command for a prompt: they end with it, and say how long no passcode is accepted.
struct DelayedAuthenticator: Authenticator {
    private let authenticator: any Authenticator
    private let cancellation: PromptCancellation
    private let delay: @Sendable () -> Double?

    init(
        _ authenticator: any Authenticator,
        _ cancellation: PromptCancellation,
        delay: @escaping @Sendable () -> Double?
    ) {
        self.authenticator = authenticator
        self.cancellation = cancellation
        self.delay = delay
    }

    var biometry: Biometry { authenticator.biometry }

    var canAskForSecrets: Bool { authenticator.canAskForSecrets }

    func ask(_ prompt: AuthenticationPrompt) -> AuthenticationReply {
        let handler = cancellation.onCancel { prompt.cancellation.cancel() }
        defer { cancellation.removeHandler(handler) }
        var prompt = prompt
        if prompt.kind == .passcode, let seconds = delay() {
            prompt.problem = PasscodeProblem.tooSoon(seconds: seconds).text
        }
        return authenticator.ask(prompt)
    }
}
