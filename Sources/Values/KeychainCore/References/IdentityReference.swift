// SPDX-License-Identifier: Apache-2.0

/// A certificate and the private key of its public key.
package struct IdentityReference: Sendable, Hashable {
    /// The certificate.
    package var certificate: CertificateReference
    /// The private key.
    package var key: KeyReference

    /// An identity from its halves.
    package init(certificate: CertificateReference, key: KeyReference) {
        self.certificate = certificate
        self.key = key
    }
}
