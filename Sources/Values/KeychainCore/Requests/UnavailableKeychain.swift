// SPDX-License-Identifier: Apache-2.0

/// A keychain that is not there: every command fails with the reason.
public final class UnavailableKeychain: KeychainBackend {
    private let error: KeychainError

    /// A keychain that fails with an error.
    public init(_ error: KeychainError) { self.error = error }

    /// A keychain that fails with `errSecNotAvailable` and a reason.
    public convenience init(reason: String) { self.init(KeychainError(.notAvailable, reason, kind: .unavailable)) }

    /// Every one, so that each fails with the reason.
    public var families: CommandFamily { .all }

    /// Says why there is no keychain.
    public func carryOut(_ command: KeychainCommand) throws(KeychainError) -> KeychainReply { throw error }
}
