// SPDX-License-Identifier: Apache-2.0

import KeychainCertificates
import KeychainCore
import KeychainKeys

/// An item that is imported or exported.
package struct ExternalItem: Sendable {
    /// The kind of item.
    package enum Contents: Sendable {
        /// A certificate.
        case certificate(Certificate)
        /// A private or a public key.
        case key(KeyHalf)
        /// A certificate and the private key of its public key.
        case identity(Certificate, PrivateKey)
    }

    /// The certificate, key or identity.
    package let contents: Contents

    /// Its name in the file or the keychain; for an identity, that of its key.
    package var label: String?

    /// An item from its parts.
    package init(_ contents: Contents, label: String? = nil) {
        self.contents = contents
        self.label = label
    }

    /// A certificate or key of the keychain, or both; `nil` if the stored bytes are not one, or the key is in the
    /// Secure Enclave.
    ///
    /// - Parameters:
    ///   - reference: the reference that the keychain returned.
    ///   - label: the item's label.
    package init?(_ reference: ItemReference, label: String? = nil) {
        switch reference {
        case .certificate(let reference):
            guard let certificate = Self.certificate(reference) else { return nil }
            self.init(.certificate(certificate), label: label)
        case .key(let reference):
            guard let key = KeyHalf(reference) else { return nil }
            self.init(.key(key), label: label)
        case .identity(let reference):
            guard let certificate = Self.certificate(reference.certificate),
                case .private(let key)? = KeyHalf(reference.key)
            else { return nil }
            self.init(.identity(certificate, key), label: label)
        // It has no bytes.
        case .keychainItem: return nil
        }
    }

    private static func certificate(_ reference: CertificateReference) -> Certificate? {
        try? Certificate(der: reference.data.unprotectedCopy)
    }

    /// The input of an add by reference: attributes and bytes.
    package var reference: ItemReference {
        switch contents {
        case .certificate(let certificate): .certificate(certificate.reference)
        case .key(let key): .key(key.reference)
        case .identity(let certificate, let key):
            .identity(IdentityReference(certificate: certificate.reference, key: KeyHalf.private(key).reference))
        }
    }

    /// The entries of an add by reference, without the class and the keychain.
    ///
    /// - Parameter isExtractable: whether a key may be exported again.
    /// - Returns: The reference, and the item's own attributes.
    package func attributesToAdd(isExtractable: Bool = true) -> [String: PropertyValue] {
        ownAttributes(isExtractable: isExtractable)
            .merging([PropertyKey.valueReference: .reference(reference)]) { $1 }
    }

    /// The stored attributes of an item besides those of its reference (Semantics, "Importing and exporting files").
    ///
    /// A key has a label: that in the file, or one that marks it as imported, by which scripts find it. A certificate
    /// has no label of its own.
    ///
    /// - Parameter isExtractable: whether a key may be exported again.
    /// - Returns: Attributes by their names.
    package func ownAttributes(isExtractable: Bool = true) -> [String: PropertyValue] {
        guard case .key(let half) = contents else { return [:] }
        var attributes: [String: PropertyValue] = [:]
        attributes[AttributeName.label.description] = .string(label ?? half.importedLabel)
        if !isExtractable { attributes["extr"] = .boolean(false) }
        return attributes
    }

    /// The items that a keychain stores: the key and the certificate of an identity, or else the item itself.
    ///
    /// The label is that of the key.
    package var storedItems: [ExternalItem] {
        guard case .identity(let certificate, let key) = contents else { return [self] }
        return [ExternalItem(.key(.private(key)), label: label), ExternalItem(.certificate(certificate))]
    }
}

extension KeyHalf {
    /// The label of a key without a name.
    fileprivate var importedLabel: String {
        switch self {
        case .private: "Imported Private Key"
        case .public: "Imported Public Key"
        }
    }
}
