// SPDX-License-Identifier: Apache-2.0

public import Foundation

extension KeychainProtocol {
    /// The secret of an item.
    ///
    /// - Parameters:
    ///   - item: which item.
    ///   - authentication: how somebody may be asked.
    /// - Returns: It; `nil` when there is no such item, and for no other reason.
    /// - Throws: ``KeychainItemError``.
    public func data(
        for item: some KeychainItem,
        authentication: Authentication = .allowed
    ) async throws(KeychainItemError) -> Data? {
        try await waiting(.read, item, authentication) { (authentication) throws(KeychainItemError) in
            try data(for: item, authentication: authentication)
        }
    }

    /// The secret of an item as text.
    ///
    /// - Parameters:
    ///   - item: which item.
    ///   - authentication: how somebody may be asked.
    /// - Returns: It; `nil` when there is no such item, and for no other reason.
    /// - Throws: ``KeychainItemError``, of the kind `undecodableValue` when the secret is something else.
    public func string(
        for item: some KeychainItem,
        authentication: Authentication = .allowed
    ) async throws(KeychainItemError) -> String? {
        try await waiting(.read, item, authentication) { (authentication) throws(KeychainItemError) in
            try string(for: item, authentication: authentication)
        }
    }

    /// The secret of an item as a value that was stored as JSON.
    ///
    /// - Parameters:
    ///   - type: the type.
    ///   - item: which item.
    ///   - decoder: what reads the JSON.
    ///   - authentication: how somebody may be asked.
    /// - Returns: It; `nil` when there is no such item, and for no other reason.
    /// - Throws: ``KeychainItemError``, of the kind `undecodableValue` when the secret is something else.
    public func value<Value: Decodable & Sendable>(
        _ type: Value.Type,
        for item: some KeychainItem,
        decoder: JSONDecoder = JSONDecoder(),
        authentication: Authentication = .allowed
    ) async throws(KeychainItemError) -> Value? {
        try await waiting(.read, item, authentication) { (authentication) throws(KeychainItemError) in
            try value(type, for: item, decoder: decoder, authentication: authentication)
        }
    }

    /// The secret of an item as a key of CryptoKit.
    ///
    /// - Parameters:
    ///   - type: the type.
    ///   - item: which item.
    ///   - authentication: how somebody may be asked.
    /// - Returns: It; `nil` when there is no such item, and for no other reason.
    /// - Throws: ``KeychainItemError``, of the kind `undecodableValue` when the secret is something else.
    public func key<Key: StorableKey & Sendable>(
        _ type: Key.Type,
        for item: some KeychainItem,
        authentication: Authentication = .allowed
    ) async throws(KeychainItemError) -> Key? {
        try await waiting(.read, item, authentication) { (authentication) throws(KeychainItemError) in
            try key(type, for: item, authentication: authentication)
        }
    }
}
