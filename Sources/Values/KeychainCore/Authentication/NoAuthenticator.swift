// SPDX-License-Identifier: Apache-2.0

/// An authenticator for programs that cannot prompt anyone.
package struct NoAuthenticator: Authenticator {
    /// No prompt is possible.
    package init() {}

    /// None.
    package var biometry: Biometry { .none }

    /// No prompt is possible.
    package var canAskForSecrets: Bool { false }

    /// Prompts are impossible.
    package func ask(_ prompt: AuthenticationPrompt) -> AuthenticationReply { .unavailable }
}
