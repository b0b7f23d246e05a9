// SPDX-License-Identifier: Apache-2.0

/// An authenticator for programs that have nobody to ask.
public struct NoAuthenticator: Authenticator {
    /// Nobody to ask.
    public init() {}

    /// None.
    public var biometry: Biometry { .none }

    /// Nobody can be asked.
    public var canAskForSecrets: Bool { false }

    /// There is no way to ask.
    public func ask(_ prompt: AuthenticationPrompt) -> AuthenticationReply { .unavailable }
}
