// SPDX-License-Identifier: Apache-2.0

/// A key, certificate, identity or item of a file-based keychain as a value of a request or a result.
///
/// It has the contents of a `SecKey`, `SecCertificate`, `SecIdentity` or `SecKeychainItem`, without its type
/// (Semantics, "Keys, certificates, identities").
package enum ItemReference: Sendable, Hashable {
    /// A `SecKey`.
    case key(KeyReference)
    /// A `SecCertificate`.
    case certificate(CertificateReference)
    /// A `SecIdentity`.
    case identity(IdentityReference)
    /// A `SecKeychainItem`.
    case keychainItem(KeychainItemReference)

    /// The class of the referenced item.
    package var itemClass: ItemClass {
        switch self {
        case .key: .key
        case .certificate: .certificate
        case .identity: .identity
        case .keychainItem(let item): item.itemClass
        }
    }
}
