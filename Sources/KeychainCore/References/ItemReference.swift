// SPDX-License-Identifier: Apache-2.0

/// A key, certificate or identity as a value of a request or an answer: what a `SecKey`, `SecCertificate` or
/// `SecIdentity` holds, without its type (Semantics, "Keys, certificates, identities").
public enum ItemReference: Sendable, Hashable {
    /// A `SecKey`.
    case key(KeyReference)
    /// A `SecCertificate`.
    case certificate(CertificateReference)
    /// A `SecIdentity`.
    case identity(IdentityReference)

    /// The class of the referenced item.
    public var itemClass: ItemClass {
        switch self {
        case .key: .key
        case .certificate: .certificate
        case .identity: .identity
        }
    }
}
