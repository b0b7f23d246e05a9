// SPDX-License-Identifier: Apache-2.0

/// A certificate and the private key of its public key.
public struct IdentityReference: Sendable, Hashable {
    /// The certificate.
    public var certificate: CertificateReference
    /// The private key.
    public var key: KeyReference

    /// An identity from its halves.
    public init(certificate: CertificateReference, key: KeyReference) {
        self.certificate = certificate
        self.key = key
    }
}
