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
    ) async throws(KeychainItemError) {
        try await waiting(.add, item, authentication) { (authentication) throws(KeychainItemError) in
            try add(
                data,
                for: item,
                protection: protection,
                details: details,
                authentication: authentication
            )
        }
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
    ) async throws(KeychainItemError) {
        try await waiting(.add, item, authentication) { (authentication) throws(KeychainItemError) in
            try add(
                string,
                for: item,
                protection: protection,
                details: details,
                authentication: authentication
            )
        }
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
        _ value: some Encodable & Sendable,
        for item: some KeychainItem,
        protection: Protection,
        encoder: JSONEncoder = JSONEncoder(),
        details: ItemDetails = .none,
        authentication: Authentication = .allowed
    ) async throws(KeychainItemError) {
        try await waiting(.add, item, authentication) { (authentication) throws(KeychainItemError) in
            try addValue(
                value,
                for: item,
                protection: protection,
                encoder: encoder,
                details: details,
                authentication: authentication
            )
        }
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
        _ key: some StorableKey & Sendable,
        for item: some KeychainItem,
        protection: Protection,
        details: ItemDetails = .none,
        authentication: Authentication = .allowed
    ) async throws(KeychainItemError) {
        try await waiting(.add, item, authentication) { (authentication) throws(KeychainItemError) in
            try addKey(
                key,
                for: item,
                protection: protection,
                details: details,
                authentication: authentication
            )
        }
    }
}
