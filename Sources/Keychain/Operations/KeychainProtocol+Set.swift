// SPDX-License-Identifier: Apache-2.0

public import Foundation

extension KeychainProtocol {
    /// Stores a secret, whether there is one or not, as one change.
    ///
    /// What is there already gets this protection, too; details that are not given stay.
    ///
    /// - Parameters:
    ///   - data: the secret.
    ///   - item: which item.
    ///   - protection: what protects it from now on.
    ///   - details: label and the like.
    ///   - authentication: how somebody may be asked.
    /// - Throws: ``KeychainItemError``; then nothing has changed.
    public func set(
        _ data: Data,
        for item: some KeychainItem,
        protection: Protection,
        details: ItemDetails = .none,
        authentication: Authentication = .allowed
    ) throws(KeychainItemError) {
        let contents = ItemContents.data(data)
        try setItem(
            item,
            contents: contents,
            protection: protection,
            details: details,
            authentication: authentication
        )
    }

    /// Stores text, whether there is one or not, as one change.
    ///
    /// What is there already gets this protection, too; details that are not given stay.
    ///
    /// - Parameters:
    ///   - string: the text, stored as UTF-8.
    ///   - item: which item.
    ///   - protection: what protects it from now on.
    ///   - details: label and the like.
    ///   - authentication: how somebody may be asked.
    /// - Throws: ``KeychainItemError``; then nothing has changed.
    public func set(
        _ string: String,
        for item: some KeychainItem,
        protection: Protection,
        details: ItemDetails = .none,
        authentication: Authentication = .allowed
    ) throws(KeychainItemError) {
        let contents = ItemContents.data(Data(string.utf8))
        try setItem(
            item,
            contents: contents,
            protection: protection,
            details: details,
            authentication: authentication
        )
    }

    /// Stores a value as JSON, whether there is one or not, as one change.
    ///
    /// What is there already gets this protection, too; details that are not given stay.
    ///
    /// - Parameters:
    ///   - value: the value.
    ///   - item: which item.
    ///   - protection: what protects it from now on.
    ///   - encoder: what makes JSON of it.
    ///   - details: label and the like.
    ///   - authentication: how somebody may be asked.
    /// - Throws: ``KeychainItemError``; then nothing has changed.
    public func setValue(
        _ value: some Encodable,
        for item: some KeychainItem,
        protection: Protection,
        encoder: JSONEncoder = JSONEncoder(),
        details: ItemDetails = .none,
        authentication: Authentication = .allowed
    ) throws(KeychainItemError) {
        let contents = ItemContents.data(try Conversion(operation: .set, item: item).encode(value, encoder))
        try setItem(
            item,
            contents: contents,
            protection: protection,
            details: details,
            authentication: authentication
        )
    }

    /// Stores a key of CryptoKit in a password, whether there is one or not, as one change.
    ///
    /// What is there already gets this protection, too; details that are not given stay.
    ///
    /// - Parameters:
    ///   - key: the key.
    ///   - item: which item.
    ///   - protection: what protects it from now on.
    ///   - details: label and the like.
    ///   - authentication: how somebody may be asked.
    /// - Throws: ``KeychainItemError``; then nothing has changed.
    public func setKey(
        _ key: some StorableKey,
        for item: some KeychainItem,
        protection: Protection,
        details: ItemDetails = .none,
        authentication: Authentication = .allowed
    ) throws(KeychainItemError) {
        let contents = ItemContents.data(key.keychainRepresentation)
        try setItem(
            item,
            contents: contents,
            protection: protection,
            details: details,
            authentication: authentication
        )
    }
}
