// SPDX-License-Identifier: Apache-2.0

import KeychainCertificates
import KeychainCore
import KeychainKeys

/// A certificate together with its private key.
public final class SecIdentity: Hashable, Sendable {
    let certificate: SecCertificate
    let privateKey: SecKey

    /// An identity, if the key is the private one of the certificate's public key.
    init?(_ certificate: SecCertificate, _ privateKey: SecKey) {
        guard case .private(let key) = privateKey.half,
            key.publicKey.externalRepresentation == certificate.certificate.publicKeyBits
        else { return nil }
        self.certificate = certificate
        self.privateKey = privateKey
    }

    /// An identity of the keychain; `nil` when its halves are no certificate and key, or do not belong together.
    convenience init?(_ reference: IdentityReference) {
        guard let certificate = SecCertificate(reference.certificate), let key = SecKey(reference.key) else {
            return nil
        }
        self.init(certificate, key)
    }

    /// What the identity brings to a request.
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
