// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A store of passwords by service and account, as most wrappers of the keychain are.
///
/// The methods need be neither `async` nor throwing. Further protocols describe additional capabilities of a store;
/// rules for other capabilities are not run, and the report lists them.
public protocol PasswordStoreContractSubject {
    /// Stores a password, or replaces it.
    nonisolated(nonsending) func set(_ password: Data, service: String, account: String) async throws

    /// The password; `nil` only if there is none.
    nonisolated(nonsending) func get(service: String, account: String) async throws -> Data?

    /// Deletes the password; if there is none, it may throw.
    nonisolated(nonsending) func delete(service: String, account: String) async throws
}

/// A store that can add a password without replacing one.
public protocol AddingPasswordStoreContractSubject: PasswordStoreContractSubject {
    /// Stores a password, and throws if there is one.
    nonisolated(nonsending) func add(_ password: Data, service: String, account: String) async throws
}

/// A store that lists its accounts.
public protocol ListingPasswordStoreContractSubject: PasswordStoreContractSubject {
    /// The accounts that have a password for a service, in any order; empty if there are none.
    nonisolated(nonsending) func accounts(service: String) async throws -> [String]
}

/// A store that deletes many passwords at once.
public protocol ClearingPasswordStoreContractSubject: PasswordStoreContractSubject {
    /// Deletes every password for a service; if there is none, it may throw.
    nonisolated(nonsending) func deleteAll(service: String) async throws
}

/// A store with access groups.
///
/// The groups are ``KeychainContract/defaultAccessGroup``, ``KeychainContract/sharedAccessGroup`` and, to be refused,
/// ``KeychainContract/foreignAccessGroup``.
public protocol GroupedPasswordStoreContractSubject: PasswordStoreContractSubject {
    /// Stores a password in an access group, or replaces it.
    nonisolated(nonsending) func set(_ password: Data, service: String, account: String, group: String) async throws

    /// The password in an access group; `nil` if there is none.
    nonisolated(nonsending) func get(service: String, account: String, group: String) async throws -> Data?
}
