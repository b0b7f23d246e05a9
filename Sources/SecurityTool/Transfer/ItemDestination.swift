// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainImportExport
import KeychainKeys

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
    var attributes: [String: PropertyValue] {
        namedAttributes.merging([PropertyKey.valueReference: .reference(item.reference)]) { $1 }
    }

    /// The attributes in full and the bytes, for a keychain that knows no references; `nil` without bytes.
    var contents: (attributes: [String: PropertyValue], bytes: SecretBytes)? {
        switch item.reference {
        case .certificate(let certificate):
            var attributes = certificate.attributes
            attributes[AttributeName.label.description] = certificate.subjectSummary.map { .string($0) }
            return (attributes, certificate.data)
        case .key(let key):
            return key.data.map { (key.attributes.merging(namedAttributes) { $1 }, $0) }
        case .identity, .keychainItem: return nil
        }
    }

    private var namedAttributes: [String: PropertyValue] {
        guard case .key(let half) = item.contents else { return [:] }
        var attributes: [String: PropertyValue] = [:]
        attributes[AttributeName.label.description] = .string(item.label ?? half.importedLabel)
        if !isExtractable { attributes["extr"] = .boolean(false) }
        return attributes
    }
}

extension KeyHalf {
    /// The label of a key that comes without a name; scripts look for the first.
    fileprivate var importedLabel: String {
        switch self {
        case .private: "Imported Private Key"
        case .public: "Imported Public Key"
        }
    }
}
