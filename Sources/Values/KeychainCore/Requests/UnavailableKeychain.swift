// SPDX-License-Identifier: Apache-2.0

/// A keychain that is unavailable: every command fails with the reason.
package final class UnavailableKeychain: KeychainBackend {
    private let error: KeychainError

    /// A keychain that fails with an error.
    package init(_ error: KeychainError) { self.error = error }

    /// A keychain that fails with `errSecNotAvailable` and a reason.
    package convenience init(reason: String) { self.init(KeychainError(.notAvailable, reason, kind: .unavailable)) }

    /// Every one, so that each fails with the reason.
    package var families: CommandFamily { .all }

    /// Creates an unavailable keychain with the reason.
    package func carryOut(_ command: KeychainCommand) throws(KeychainError) -> KeychainReply { throw error }
}
