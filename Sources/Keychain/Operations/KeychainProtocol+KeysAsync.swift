// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
public import Security
#else
public import PortableSecurity
#endif

extension KeychainProtocol {
    /// Stores a key as a key.
    ///
    /// - Parameters:
    ///   - key: the key.
    ///   - tag: what the app calls it.
    ///   - accessGroup: the access group; `nil` for the app's default group.
    ///   - protection: what protects it.
    ///   - details: its label.
    ///   - authentication: how somebody may be asked.
    /// - Returns: What names it.
    /// - Throws: ``KeychainItemError``, of the kind `duplicate` when it is there.
    @discardableResult
    public func add(
        _ key: SecKey,
        tag: String,
        accessGroup: String? = nil,
        protection: Protection,
        details: ItemDetails = .none,
        authentication: Authentication = .allowed
    ) async throws(KeychainItemError) -> KeyItem {
        let item = KeyItem(key, tag: tag, accessGroup: accessGroup)
        return try await waiting(.add, item, authentication) { (authentication) throws(KeychainItemError) in
            try add(
                key,
                tag: tag,
                accessGroup: accessGroup,
                protection: protection,
                details: details,
                authentication: authentication
            )
        }
    }

    /// Stores a key of CryptoKit as a key.
    ///
    /// - Parameters:
    ///   - key: the key.
    ///   - tag: what the app calls it.
    ///   - accessGroup: the access group; `nil` for the app's default group.
    ///   - protection: what protects it.
    ///   - details: its label.
    ///   - authentication: how somebody may be asked.
    /// - Returns: What names it.
    /// - Throws: ``KeychainItemError``, of the kind `duplicate` when it is there.
    @discardableResult
    public func add(
        _ key: some NISTPrivateKey & Sendable,
        tag: String,
        accessGroup: String? = nil,
        protection: Protection,
        details: ItemDetails = .none,
        authentication: Authentication = .allowed
    ) async throws(KeychainItemError) -> KeyItem {
        let item = key.secKey.map { KeyItem($0, tag: tag, accessGroup: accessGroup) }
        return try await waiting(.add, item, authentication) { (authentication) throws(KeychainItemError) in
            try add(
                key,
                tag: tag,
                accessGroup: accessGroup,
                protection: protection,
                details: details,
                authentication: authentication
            )
        }
    }

    /// A key of the keychain.
    ///
    /// - Parameters:
    ///   - item: which key.
    ///   - authentication: how somebody may be asked.
    /// - Returns: The key; `nil` when there is no such item, and for no other reason.
    /// - Throws: ``KeychainItemError``, of the kind `undecodableValue` when no key can be made of it.
    public func secKey(
        for item: KeyItem,
        authentication: Authentication = .allowed
    ) async throws(KeychainItemError) -> SecKey? {
        try await waiting(.read, item, authentication) { (authentication) throws(KeychainItemError) in
            try secKey(for: item, authentication: authentication)
        }
    }

    /// A key of the keychain as one of CryptoKit.
    ///
    /// - Parameters:
    ///   - type: the type.
    ///   - item: which key.
    ///   - authentication: how somebody may be asked.
    /// - Returns: The key; `nil` when there is no such item, and for no other reason.
    /// - Throws: ``KeychainItemError``, of the kind `undecodableValue` when it is another one, or must not leave the keychain.
    public func privateKey<Key: NISTPrivateKey & Sendable>(
        _ type: Key.Type,
        for item: KeyItem,
        authentication: Authentication = .allowed
    ) async throws(KeychainItemError) -> Key? {
        try await waiting(.read, item, authentication) { (authentication) throws(KeychainItemError) in
            try privateKey(type, for: item, authentication: authentication)
        }
    }

    /// Stores a certificate.
    ///
    /// - Parameters:
    ///   - certificate: the certificate.
    ///   - accessGroup: the access group; `nil` for the app's default group.
    ///   - protection: what protects it.
    ///   - details: its label; its summary when none is given.
    ///   - authentication: how somebody may be asked.
    /// - Returns: What names it.
    /// - Throws: ``KeychainItemError``, of the kind `duplicate` when it is there.
    @discardableResult
    public func add(
        _ certificate: SecCertificate,
        accessGroup: String? = nil,
        protection: Protection,
        details: ItemDetails = .none,
        authentication: Authentication = .allowed
    ) async throws(KeychainItemError) -> CertificateItem {
        let item = CertificateItem(certificate, accessGroup: accessGroup)
        return try await waiting(.add, item, authentication) { (authentication) throws(KeychainItemError) in
            try add(
                certificate,
                accessGroup: accessGroup,
                protection: protection,
                details: details,
                authentication: authentication
            )
        }
    }

    /// A certificate of the keychain.
    ///
    /// - Parameters:
    ///   - item: which certificate.
    ///   - authentication: how somebody may be asked.
    /// - Returns: The certificate; `nil` when there is no such item, and for no other reason.
    /// - Throws: ``KeychainItemError``, of the kind `undecodableValue` when the stored bytes are none.
    public func certificate(
        for item: CertificateItem,
        authentication: Authentication = .allowed
    ) async throws(KeychainItemError) -> SecCertificate? {
        try await waiting(.read, item, authentication) { (authentication) throws(KeychainItemError) in
            try certificate(for: item, authentication: authentication)
        }
    }
}
