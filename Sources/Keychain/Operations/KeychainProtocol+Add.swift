// SPDX-License-Identifier: Apache-2.0

public import Foundation

extension KeychainProtocol {
    /// Stores a secret that is not there yet.
    ///
    /// - Parameters:
    ///   - data: the secret.
    ///   - item: which item.
    ///   - protection: what protects it.
    ///   - details: label and the like.
    ///   - authentication: how somebody may be asked.
    /// - Throws: ``KeychainItemError``, of the kind `duplicate` when it is there.
    public func add(
        _ data: Data,
        for item: some KeychainItem,
        protection: Protection,
        details: ItemDetails = .none,
        authentication: Authentication = .allowed
    ) throws(KeychainItemError) {
        let contents = ItemContents.data(data)
        try addItem(
            item,
            contents: contents,
            protection: protection,
            details: details,
            authentication: authentication
        )
    }

    /// Stores text that is not there yet.
    ///
    /// - Parameters:
    ///   - string: the text, stored as UTF-8.
    ///   - item: which item.
    ///   - protection: what protects it.
    ///   - details: label and the like.
    ///   - authentication: how somebody may be asked.
    /// - Throws: ``KeychainItemError``, of the kind `duplicate` when it is there.
    public func add(
        _ string: String,
        for item: some KeychainItem,
        protection: Protection,
        details: ItemDetails = .none,
        authentication: Authentication = .allowed
    ) throws(KeychainItemError) {
        let contents = ItemContents.data(Data(string.utf8))
        try addItem(
            item,
            contents: contents,
            protection: protection,
            details: details,
            authentication: authentication
        )
    }

    /// Stores a value as JSON that is not there yet.
    ///
    /// - Parameters:
    ///   - value: the value.
    ///   - item: which item.
    ///   - protection: what protects it.
    ///   - encoder: what makes JSON of it.
    ///   - details: label and the like.
    ///   - authentication: how somebody may be asked.
    /// - Throws: ``KeychainItemError``, of the kind `duplicate` when it is there.
    public func addValue(
        _ value: some Encodable,
        for item: some KeychainItem,
        protection: Protection,
        encoder: JSONEncoder = JSONEncoder(),
        details: ItemDetails = .none,
        authentication: Authentication = .allowed
    ) throws(KeychainItemError) {
        let contents = ItemContents.data(try Conversion(operation: .add, item: item).encode(value, encoder))
        try addItem(
            item,
            contents: contents,
            protection: protection,
            details: details,
            authentication: authentication
        )
    }

    /// Stores a key of CryptoKit in a password that is not there yet.
    ///
    /// - Parameters:
    ///   - key: the key.
    ///   - item: which item.
    ///   - protection: what protects it.
    ///   - details: label and the like.
    ///   - authentication: how somebody may be asked.
    /// - Throws: ``KeychainItemError``, of the kind `duplicate` when it is there.
    public func addKey(
        _ key: some StorableKey,
        for item: some KeychainItem,
        protection: Protection,
        details: ItemDetails = .none,
        authentication: Authentication = .allowed
    ) throws(KeychainItemError) {
        let contents = ItemContents.data(key.keychainRepresentation)
        try addItem(
            item,
            contents: contents,
            protection: protection,
            details: details,
            authentication: authentication
        )
    }
}
