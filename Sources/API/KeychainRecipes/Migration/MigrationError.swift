// SPDX-License-Identifier: Apache-2.0

public import Keychain

/// Why a secret was not moved into the keychain.
public struct MigrationError: Error, Sendable, CustomStringConvertible {
    /// The step at which a migration failed.
    public enum Step: String, Sendable, Hashable, CaseIterable {
        /// Looking for the item in the keychain; nothing has changed.
        case look
        /// Reading the old copy; nothing has changed.
        case readSource
        /// Storing the item; nothing has changed.
        case store
        /// Reading the item back; the secret may be in both places.
        case verify
        /// Removing the old copy; the secret is in the keychain, and may be in both places.
        case remove
    }

    /// The kind of failure.
    public enum Reason: String, Sendable, Hashable, CaseIterable {
        /// The device is locked: run again when it is not.
        case locked
        /// The item requires authentication, and the run was not allowed or able to prompt: run again with an
        /// authentication that may.
        case authenticationRequired
        /// The keychain has another secret than the old place.
        case conflict
        /// The value read back differs from the stored one.
        case notVerified
        /// The old place failed; ``MigrationError/cause`` is a ``SecretSourceError``.
        case source
        /// The keychain failed; ``MigrationError/cause`` is a `KeychainItemError`.
        case keychain
    }

    /// The step at which the migration failed.
    public let step: Step

    /// The kind of failure.
    public let reason: Reason

    /// The name of the old place.
    public let source: String

    /// The item.
    public let item: GenericPassword

    /// The error underneath.
    public let cause: (any Error)?

    /// One line, without any secret.
    public var description: String {
        let sentence =
            switch reason {
            case .locked: "the device is locked; nothing is lost, run the migration again when it is unlocked"
            case .authenticationRequired:
                "the item requires authentication; nothing is lost, run the migration with one that may prompt"
            case .conflict: "the keychain holds another secret; say by the policy which of the two counts"
            case .notVerified: "the keychain does not give back what was stored; the old copy was kept"
            case .source, .keychain: cause.map { "\($0)" } ?? reason.rawValue
            }
        return "cannot move \(source) to \(item), at the step '\(step.rawValue)': \(sentence)"
    }
}
