// SPDX-License-Identifier: Apache-2.0

import KeychainContainers
import KeychainCore

/// A destination for imported items.
protocol ItemDestination {
    /// Adds a certificate or a key.
    ///
    /// - Throws: ``KeychainError``, with errSecDuplicateItem for an existing item.
    func add(_ item: NewItem) throws(KeychainError)
}

/// A certificate or key to add.
struct NewItem {
    /// The item; not an identity, which is two items.
    let item: ExternalItem

    /// Whether a key may leave the keychain again.
    let isExtractable: Bool

    /// The access list of a key.
    let access: RequestedAccess

    /// The attributes of an add by reference, except the class.
    var attributes: [String: PropertyValue] { item.attributesToAdd(isExtractable: isExtractable) }

    /// All attributes and the bytes, for a keychain that does not support references; `nil` without bytes.
    var contents: (attributes: [String: PropertyValue], bytes: SecretBytes)? {
        var attributes = attributes
        attributes[PropertyKey.valueReference] = nil
        switch item.reference {
        case .certificate(let certificate):
            attributes.merge(certificate.attributes) { $1 }
            attributes[AttributeName.label.description] = certificate.subjectSummary.map { .string($0) }
            return (attributes, certificate.data)
        case .key(let key):
            return key.data.map {
                (key.attributes.merging(item.ownAttributes(isExtractable: isExtractable)) { $1 }, $0)
            }
        case .identity, .keychainItem: return nil
        }
    }
}
