// SPDX-License-Identifier: Apache-2.0

import KeychainContainers
import KeychainCore

/// Where imported items go.
protocol ItemDestination {
    /// Adds a certificate or a key.
    ///
    /// - Throws: ``KeychainError``, with errSecDuplicateItem for what is there already.
    func add(_ item: NewItem) throws(KeychainError)
}

/// A certificate or key that is to be added.
struct NewItem {
    /// The item; no identity, which is two.
    let item: ExternalItem

    /// Whether a key may leave the keychain again.
    let isExtractable: Bool

    /// Who may use a key.
    let access: RequestedAccess

    /// The entries of an add by reference, but for the class.
    var attributes: [String: PropertyValue] { item.attributesToAdd(isExtractable: isExtractable) }

    /// The attributes in full and the bytes, for a keychain that knows no references; `nil` without bytes.
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
