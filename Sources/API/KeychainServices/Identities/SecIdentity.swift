// SPDX-License-Identifier: Apache-2.0

import KeychainCertificates
import KeychainCore
import KeychainKeys

/// A certificate together with its private key.
public final class SecIdentity: Hashable, Sendable {
    let certificate: SecCertificate
    let privateKey: SecKey

    /// An identity, if the key is the private one of the certificate's public key.
    convenience init?(_ certificate: SecCertificate, _ privateKey: SecKey) {
        guard case .private = privateKey.half else { return nil }
        self.init(certificate, anyHalf: privateKey)
    }

    /// An identity, if the key is one half of the pair of the certificate's public key.
    private init?(_ certificate: SecCertificate, anyHalf privateKey: SecKey) {
        guard privateKey.publicKey.externalRepresentation == certificate.certificate.publicKeyBits else { return nil }
        self.certificate = certificate
        self.privateKey = privateKey
    }

    /// Creates an identity of the keychain; `nil` if its halves are not a certificate and a key, or do not match.
    ///
    /// The keychain also accepts a public key as the key of an identity (Semantics, open question 12).
    convenience init?(_ reference: IdentityReference) {
        guard let certificate = SecCertificate(reference.certificate), let key = SecKey(reference.key) else {
            return nil
        }
        self.init(certificate, anyHalf: key)
    }

    /// The identity as a reference in a request.
    var reference: IdentityReference {
        IdentityReference(certificate: certificate.reference, key: privateKey.reference)
    }

    /// Whether both have the same certificate and the same key.
    public static func == (left: SecIdentity, right: SecIdentity) -> Bool {
        left.certificate == right.certificate && left.privateKey == right.privateKey
    }

    /// Feeds the certificate.
    public func hash(into hasher: inout Hasher) { hasher.combine(certificate) }
}
