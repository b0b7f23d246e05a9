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
    ) throws(KeychainItemError) -> Data? {
        guard let contents = try itemContents(of: item, authentication: authentication) else { return nil }
        return try Conversion(operation: .read, item: item).data(contents)
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
    ) throws(KeychainItemError) -> String? {
        guard let contents = try itemContents(of: item, authentication: authentication) else { return nil }
        return try Conversion(operation: .read, item: item).string(contents)
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
    public func value<Value: Decodable>(
        _ type: Value.Type,
        for item: some KeychainItem,
        decoder: JSONDecoder = JSONDecoder(),
        authentication: Authentication = .allowed
    ) throws(KeychainItemError) -> Value? {
        guard let contents = try itemContents(of: item, authentication: authentication) else { return nil }
        return try Conversion(operation: .read, item: item).value(type, contents, decoder)
    }

    /// The secret of an item as a key of CryptoKit.
    ///
    /// - Parameters:
    ///   - type: the type.
    ///   - item: which item.
    ///   - authentication: how somebody may be asked.
    /// - Returns: It; `nil` when there is no such item, and for no other reason.
    /// - Throws: ``KeychainItemError``, of the kind `undecodableValue` when the secret is something else.
    public func key<Key: StorableKey>(
        _ type: Key.Type,
        for item: some KeychainItem,
        authentication: Authentication = .allowed
    ) throws(KeychainItemError) -> Key? {
        guard let contents = try itemContents(of: item, authentication: authentication) else { return nil }
        return try Conversion(operation: .read, item: item).key(type, contents)
    }
}
