// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainProtection

/// The source of one result: a stored item, or an identity of two.
enum MatchedItem: Sendable {
    /// An item of a table.
    case stored(Item)
    /// A certificate and its key.
    case identity(certificate: Item, key: Item)

    var itemClass: ItemClass {
        switch self {
        case .stored(let item): item.itemClass
        case .identity: .identity
        }
    }

    /// The attributes; those of an identity are the key's, overridden by the certificate's (Semantics, "Identities").
    var attributes: Attributes {
        switch self {
        case .stored(let item): return item.attributes
        case .identity(let certificate, let key):
            var union = key.attributes.merging(certificate.attributes) { $1 }
            // Goes with the accessibility, which every item has.
            union[.accessControl] = certificate.attributes[.accessControl]
            return union
        }
    }

    /// The value for `kSecReturnData`; none for a key that never leaves the Secure Enclave.
    var data: SecretBytes? {
        let item =
            switch self {
            case .stored(let item): item
            case .identity(_, let key): key
            }
        return item.itemClass == .key && item.attributes.areOfEnclaveKey ? nil : item.secret
    }

    /// The certificate of an identity, if it was read.
    var certificateData: SecretBytes? {
        guard case .identity(let certificate, _) = self else { return nil }
        return certificate.secret
    }

    /// The item's identifier; an identity is known by its certificate.
    var identifier: ItemIdentifier {
        switch self {
        case .stored(let item): item.identifier
        case .identity(let certificate, _): certificate.identifier
        }
    }

    /// The class and the identifier.
    var persistentReference: SecretBytes { identifier.persistentReference(of: itemClass) }

    /// The value for `kSecReturnRef`.
    ///
    /// It is `nil` without data, and for passwords, which have a reference type only with the macOS front end
    /// (Semantics, "References to passwords on macOS").
    ///
    /// When a key is used, it prompts the owner in the context of the query.
    func reference(for query: Query) -> ItemReference? {
        let context = query.context
        switch self {
        case .stored(let item) where item.itemClass == .key:
            return item.keyReference(context).map { .key($0) }
        case .stored(let item) where item.itemClass == .certificate:
            return item.certificateReference.map { .certificate($0) }
        case .stored where !query.hasPasswordReferences:
            return nil
        case .stored(let item):
            return .keychainItem(
                KeychainItemReference(
                    keychain: "",
                    itemClass: item.itemClass,
                    identifier: .zero,
                    dataProtectionReference: query.returns.contains(.persistentReference) ? persistentReference : nil
                )
            )
        case .identity(let certificate, let key):
            guard let certificate = certificate.certificateReference, let key = key.keyReference(context) else {
                return nil
            }
            return .identity(IdentityReference(certificate: certificate, key: key))
        }
    }
}

extension Item {
    fileprivate func keyReference(_ context: AuthenticationContext?) -> KeyReference? {
        guard let secret else { return nil }
        let attributes = attributes.map { ($0.description, $1.property) }
        return KeyReference(attributes: Dictionary(attributes) { $1 }, data: secret, context: context)
    }

    fileprivate var certificateReference: CertificateReference? { secret.map { CertificateReference(data: $0) } }
}
