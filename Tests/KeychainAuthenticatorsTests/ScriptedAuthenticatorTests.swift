// SPDX-License-Identifier: Apache-2.0

import KeychainAuthenticators
import KeychainCore
import Testing

struct ScriptedAuthenticatorTests {
    @Test("it answers by its script, keeps the questions, and ends a question that was cancelled")
    func script() {
        let authenticator = ScriptedAuthenticator()
        #expect(authenticator.ask(AuthenticationPrompt(.passcode, reason: "first")) == .cancelled)
        authenticator.setAnswer { _ in .recognized }
        #expect(authenticator.ask(AuthenticationPrompt(.biometry, reason: "second")) == .recognized)
        let cancelled = AuthenticationPrompt(.biometry, reason: "third")
        cancelled.cancellation.cancel()
        #expect(authenticator.ask(cancelled) == .ended)
        #expect(authenticator.prompts.map(\.reason) == ["first", "second", "third"])
    }
}
