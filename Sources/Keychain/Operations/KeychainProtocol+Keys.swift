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
    ) throws(KeychainItemError) -> KeyItem {
        let item = KeyItem(key, tag: tag, accessGroup: accessGroup)
        try add(.key(key), for: item, protection: protection, details: details, authentication: authentication)
        return item
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
        _ key: some NISTPrivateKey,
        tag: String,
        accessGroup: String? = nil,
        protection: Protection,
        details: ItemDetails = .none,
        authentication: Authentication = .allowed
    ) throws(KeychainItemError) -> KeyItem {
        guard let secKey = key.secKey else {
            throw KeychainItemError(
                status: errSecParam,
                operation: .add,
                kind: .unencodableValue,
                reason: "the key cannot be kept as a key"
            )
        }
        return try add(
            secKey,
            tag: tag,
            accessGroup: accessGroup,
            protection: protection,
            details: details,
            authentication: authentication
        )
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
    ) throws(KeychainItemError) -> SecKey? {
        switch try contents(of: item, authentication: authentication) {
        case nil: return nil
        case .key(let key): return key
        case .data, .certificate:
            throw Conversion(operation: .read, item: item)
                .failure(.undecodableValue, "the stored value is no key that can be used")
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
    public func privateKey<Key: NISTPrivateKey>(
        _ type: Key.Type,
        for item: KeyItem,
        authentication: Authentication = .allowed
    ) throws(KeychainItemError) -> Key? {
        guard let secKey = try secKey(for: item, authentication: authentication) else { return nil }
        guard let bytes = SecKeyCopyExternalRepresentation(secKey, nil) as Data?,
            let key = try? Key(x963Representation: bytes)
        else {
            throw Conversion(operation: .read, item: item)
                .failure(
                    .undecodableValue,
                    "the stored key is none of the type \(type), or does not leave the keychain"
                )
        }
        return key
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
    ) throws(KeychainItemError) -> CertificateItem {
        let item = CertificateItem(certificate, accessGroup: accessGroup)
        try add(
            .certificate(certificate),
            for: item,
            protection: protection,
            details: details,
            authentication: authentication
        )
        return item
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
    ) throws(KeychainItemError) -> SecCertificate? {
        switch try contents(of: item, authentication: authentication) {
        case nil: return nil
        case .certificate(let certificate): return certificate
        case .data, .key:
            throw Conversion(operation: .read, item: item)
                .failure(.undecodableValue, "the stored bytes are no certificate")
        }
    }
}
