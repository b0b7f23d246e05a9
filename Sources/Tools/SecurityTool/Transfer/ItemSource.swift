// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// A source of exported items.
protocol ItemSource {
    /// The certificates, keys or identities, in order.
    ///
    /// - Parameters:
    ///   - itemClass: the class.
    ///   - skipsDamaged: whether damaged ones may be skipped, if the keychain can distinguish them from the others.
    /// - Returns: Those that can be shown.
    /// - Throws: ``KeychainError`` if they cannot be read.
    func references(_ itemClass: ItemClass, skipsDamaged: Bool) throws(KeychainError) -> [LabelledReference]
}

/// An item with its bytes, and its display name.
struct LabelledReference {
    let reference: ItemReference
    let label: String?
}

extension UserKeychain: ItemSource {
    func references(_ itemClass: ItemClass, skipsDamaged: Bool) throws(KeychainError) -> [LabelledReference] {
        try answers(itemClass, skipsDamaged: skipsDamaged).compactMap { value in
            guard case .dictionary(let entries) = value,
                case .reference(let reference)? = entries[PropertyKey.valueReference]
            else { return nil }
            guard case .string(let label)? = entries[AttributeName.label.description] else {
                return LabelledReference(reference: reference, label: nil)
            }
            return LabelledReference(reference: reference, label: label)
        }
    }
}

extension FileKeychain: ItemSource {
    func references(_ itemClass: ItemClass, skipsDamaged: Bool) throws(KeychainError) -> [LabelledReference] {
        switch itemClass {
        case .certificate:
            return try items(.certificate).map { (item) throws(KeychainError) in
                LabelledReference(reference: .certificate(try certificate(item)), label: item.label)
            }
        case .key:
            return try items(.key).map { (item) throws(KeychainError) in
                LabelledReference(reference: .key(try key(item)), label: item.label)
            }
        case .identity:
            return try StoredIdentity.all(in: [self]).map { (identity) throws(KeychainError) in
                let reference = IdentityReference(
                    certificate: try certificate(identity.certificate),
                    key: try key(identity.key)
                )
                return LabelledReference(reference: .identity(reference), label: identity.key.label)
            }
        case .genericPassword, .internetPassword: return []
        }
    }

    private func certificate(_ item: StoredItem) throws(KeychainError) -> CertificateReference {
        CertificateReference(data: try secret(of: item))
    }

    private func key(_ item: StoredItem) throws(KeychainError) -> KeyReference {
        KeyReference(attributes: item.attributes, data: try secret(of: item))
    }
}
