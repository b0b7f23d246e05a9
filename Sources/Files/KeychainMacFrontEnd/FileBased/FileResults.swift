// SPDX-License-Identifier: Apache-2.0

import KeychainCertificates
import KeychainCore

/// What a call on file-based keychains returns for an item (Semantics, "Functions of the file-based keychain").
struct FileResults {
    let wanted: Set<FileResultKind>
    let keychains: OpenedKeychains

    /// One kind of result alone, or a dictionary of several; `nil` for an item of which no reference can be made.
    func result(_ match: FileMatch) throws(KeychainError) -> ResultValue? {
        guard wanted.count > 1 || wanted == [.attributes] else {
            switch wanted.first {
            case .data?: return .data(try keychains.secret(of: match.main))
            case .persistentReference?: return .data(persistentReference(match))
            default: return .reference(try reference(match))
            }
        }
        var result: [String: PropertyValue] = [:]
        if wanted.contains(.attributes) { result = try attributes(match.main) }
        if wanted.contains(.data) { result[PropertyKey.valueData] = .data(try keychains.secret(of: match.main)) }
        if wanted.contains(.reference) { result[PropertyKey.valueReference] = .reference(try reference(match)) }
        if wanted.contains(.persistentReference) {
            result[PropertyKey.valuePersistentReference] = .data(persistentReference(match))
        }
        return .dictionary(result)
    }

    /// The attributes with the class; issuer and subject are whole names.
    private func attributes(_ item: LocatedItem) throws(KeychainError) -> [String: PropertyValue] {
        var attributes = item.item.attributes
        attributes[PropertyKey.itemClass] = .string(item.item.itemClass.rawValue)
        guard item.item.itemClass == .certificate else { return attributes }
        let certificate = try? Certificate(der: try keychains.secret(of: item).unprotectedCopy)
        if let certificate {
            attributes[AttributeName.issuer.description] = .data(SecretBytes(certificate.issuerSequence))
            attributes[AttributeName.subject.description] = .data(SecretBytes(certificate.subjectSequence))
        }
        return attributes
    }

    /// Of an identity that of its certificate, unless the query named the identity.
    private func persistentReference(_ match: FileMatch) -> SecretBytes {
        var reference = match.main.reference
        if case .identity(_, _, isNamed: true) = match { reference.itemClass = .identity }
        return FilePersistentReference.bytes(reference)
    }

    private func reference(_ match: FileMatch) throws(KeychainError) -> ItemReference {
        switch match {
        case .identity(let certificate, let key, _):
            return .identity(
                IdentityReference(
                    certificate: try self.certificate(certificate),
                    key: try self.key(key, certificates: [certificate])
                )
            )
        case .item(let item):
            switch item.item.itemClass {
            case .certificate: return .certificate(try certificate(item))
            case .key:
                return .key(
                    try key(item, certificates: keychains.items(FileItemConditions(.certificate), in: [item.keychain]))
                )
            case .genericPassword, .internetPassword, .identity: return .keychainItem(item.reference)
            }
        }
    }

    private func certificate(_ item: LocatedItem) throws(KeychainError) -> CertificateReference {
        CertificateReference(data: try keychains.secret(of: item), keychainItem: item.reference)
    }

    /// A key; of a locked keychain without its bytes, where a certificate tells the public half of the pair.
    private func key(_ item: LocatedItem, certificates: [LocatedItem]) throws(KeychainError) -> KeyReference {
        if item.item.keyClass == 1, try keychains.isLocked(item.keychain),
            let encoding = try publicKey(of: item, in: certificates)
        {
            return KeyReference(
                attributes: item.item.attributes,
                data: nil,
                keychainItem: item.reference,
                subjectPublicKeyInfo: encoding
            )
        }
        return KeyReference(
            attributes: item.item.attributes,
            data: try keychains.secret(of: item),
            keychainItem: item.reference
        )
    }

    /// The `SubjectPublicKeyInfo` in the certificate of a key, whose hash is in the key's `klbl`.
    ///
    /// Certificates are not sealed: the hash of what one holds counts, and not the attribute beside it.
    private func publicKey(
        of key: LocatedItem,
        in certificates: [LocatedItem]
    ) throws(KeychainError) -> [UInt8]? {
        for certificate in certificates where key.item.isKey(of: certificate.item) {
            let bytes = try keychains.secret(of: certificate).unprotectedCopy
            guard let read = try? Certificate(der: bytes),
                key.item.attributes[AttributeName.applicationLabel.description]
                    == .data(SecretBytes(read.publicKeyHash))
            else { continue }
            return read.subjectPublicKeyInfo
        }
        return nil
    }
}
