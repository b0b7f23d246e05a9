// SPDX-License-Identifier: Apache-2.0

public import PortableSecurity

extension KeychainProtocol {
    /// Stores a key as a key item.
    ///
    /// - Parameters:
    ///   - key: the key.
    ///   - tag: the application tag.
    ///   - accessGroup: the access group; `nil` for the app's default group.
    ///   - protection: the protection.
    ///   - details: label.
    ///   - authentication: whether and how the user may be prompted.
    /// - Returns: The item that was added.
    /// - Throws: ``KeychainItemError``, of the kind `duplicate` if the item exists.
    @discardableResult
    @available(*, noasync, message: "it blocks the thread; await it, or use blocking { … } where that is intended")
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

    /// Does the same on a thread of its own; a cancelled task ends the prompt.
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
        return try await waiting(for: .add, of: item, authentication: authentication) {
            (authentication) throws(KeychainItemError) in
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

    /// Stores a CryptoKit key as a key item.
    ///
    /// - Parameters:
    ///   - key: the key.
    ///   - tag: the application tag.
    ///   - accessGroup: the access group; `nil` for the app's default group.
    ///   - protection: the protection.
    ///   - details: label.
    ///   - authentication: whether and how the user may be prompted.
    /// - Returns: The item that was added.
    /// - Throws: ``KeychainItemError``, of the kind `duplicate` if the item exists.
    @discardableResult
    @available(*, noasync, message: "it blocks the thread; await it, or use blocking { … } where that is intended")
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
                reason: "the key cannot be stored as a key item"
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

    /// Does the same on a thread of its own; a cancelled task ends the prompt.
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
        return try await waiting(for: .add, of: item, authentication: authentication) {
            (authentication) throws(KeychainItemError) in
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

    /// Reads a key item.
    ///
    /// - Parameters:
    ///   - item: the item.
    ///   - authentication: whether and how the user may be prompted; never unless it is given.
    /// - Returns: The key; `nil` only if no item matches.
    /// - Throws: ``KeychainItemError``, of the kind `undecodableValue` if the stored value is not a usable key.
    @available(*, noasync, message: "it blocks the thread; await it, or use blocking { … } where that is intended")
    public func secKey(
        for item: KeyItem,
        authentication: Authentication = .forbidden
    ) throws(KeychainItemError) -> SecKey? {
        switch try contents(of: item, authentication: authentication) {
        case nil: return nil
        case .key(let key): return key
        case .data, .certificate:
            throw Conversion(operation: .read, item: item)
                .failure(.undecodableValue, "the stored value is no usable key")
        }
    }

    /// Does the same on a thread of its own; a cancelled task ends the prompt.
    public func secKey(
        for item: KeyItem,
        authentication: Authentication = .forbidden
    ) async throws(KeychainItemError) -> SecKey? {
        try await waiting(for: .read, of: item, authentication: authentication) {
            (authentication) throws(KeychainItemError) in
            try secKey(for: item, authentication: authentication)
        }
    }

    /// Reads a key item as a CryptoKit key.
    ///
    /// - Parameters:
    ///   - type: the type.
    ///   - item: the item.
    ///   - authentication: whether and how the user may be prompted; never unless it is given.
    /// - Returns: The key; `nil` only if no item matches.
    /// - Throws: ``KeychainItemError``, of the kind `undecodableValue` if it is of another type, or cannot be exported.
    @available(*, noasync, message: "it blocks the thread; await it, or use blocking { … } where that is intended")
    public func privateKey<Key: NISTPrivateKey>(
        _ type: Key.Type,
        for item: KeyItem,
        authentication: Authentication = .forbidden
    ) throws(KeychainItemError) -> Key? {
        guard let secKey = try secKey(for: item, authentication: authentication) else { return nil }
        guard let bytes = SecKeyCopyExternalRepresentation(secKey, nil) as Data?,
            let key = try? Key(x963Representation: bytes)
        else {
            throw Conversion(operation: .read, item: item)
                .failure(
                    .undecodableValue,
                    "the stored key is not of the type \(type), or cannot be exported"
                )
        }
        return key
    }

    /// Does the same on a thread of its own; a cancelled task ends the prompt.
    public func privateKey<Key: NISTPrivateKey & Sendable>(
        _ type: Key.Type,
        for item: KeyItem,
        authentication: Authentication = .forbidden
    ) async throws(KeychainItemError) -> Key? {
        try await waiting(for: .read, of: item, authentication: authentication) {
            (authentication) throws(KeychainItemError) in
            try privateKey(type, for: item, authentication: authentication)
        }
    }

    /// Stores a certificate.
    ///
    /// - Parameters:
    ///   - certificate: the certificate.
    ///   - accessGroup: the access group; `nil` for the app's default group.
    ///   - protection: the protection.
    ///   - details: label; by default the summary of the certificate.
    ///   - authentication: whether and how the user may be prompted.
    /// - Returns: The item that was added.
    /// - Throws: ``KeychainItemError``, of the kind `duplicate` if the item exists.
    @discardableResult
    @available(*, noasync, message: "it blocks the thread; await it, or use blocking { … } where that is intended")
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

    /// Does the same on a thread of its own; a cancelled task ends the prompt.
    @discardableResult
    public func add(
        _ certificate: SecCertificate,
        accessGroup: String? = nil,
        protection: Protection,
        details: ItemDetails = .none,
        authentication: Authentication = .allowed
    ) async throws(KeychainItemError) -> CertificateItem {
        let item = CertificateItem(certificate, accessGroup: accessGroup)
        return try await waiting(for: .add, of: item, authentication: authentication) {
            (authentication) throws(KeychainItemError) in
            try add(
                certificate,
                accessGroup: accessGroup,
                protection: protection,
                details: details,
                authentication: authentication
            )
        }
    }

    /// Reads a certificate.
    ///
    /// - Parameters:
    ///   - item: the item.
    ///   - authentication: whether and how the user may be prompted; never unless it is given.
    /// - Returns: The certificate; `nil` only if no item matches.
    /// - Throws: ``KeychainItemError``, of the kind `undecodableValue` if the stored bytes are not a certificate.
    @available(*, noasync, message: "it blocks the thread; await it, or use blocking { … } where that is intended")
    public func certificate(
        for item: CertificateItem,
        authentication: Authentication = .forbidden
    ) throws(KeychainItemError) -> SecCertificate? {
        switch try contents(of: item, authentication: authentication) {
        case nil: return nil
        case .certificate(let certificate): return certificate
        case .data, .key:
            throw Conversion(operation: .read, item: item)
                .failure(.undecodableValue, "the stored bytes are no certificate")
        }
    }

    /// Does the same on a thread of its own; a cancelled task ends the prompt.
    public func certificate(
        for item: CertificateItem,
        authentication: Authentication = .forbidden
    ) async throws(KeychainItemError) -> SecCertificate? {
        try await waiting(for: .read, of: item, authentication: authentication) {
            (authentication) throws(KeychainItemError) in
            try certificate(for: item, authentication: authentication)
        }
    }
}
