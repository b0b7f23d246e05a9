// SPDX-License-Identifier: Apache-2.0

/// An authenticator for programs that cannot prompt anyone.
public struct NoAuthenticator: Authenticator {
    /// No prompt is possible.
    public init() {}

    /// None.
    public var biometry: Biometry { .none }

    /// No prompt is possible.
    public var canAskForSecrets: Bool { false }

    /// There is no way to ask.
    public func ask(_ prompt: AuthenticationPrompt) -> AuthenticationReply { .unavailable }
}
