// SPDX-License-Identifier: Apache-2.0

import KeychainCertificates
import KeychainCore

/// An X.509 certificate.
public final class SecCertificate: Hashable, Sendable {
    let certificate: Certificate

    /// The certificate's place in a file-based keychain; `nil` if it is in none.
    private let keychainItem: KeychainItemReference?

    convenience init(_ certificate: Certificate) { self.init(certificate, in: nil) }

    private init(_ certificate: Certificate, in keychainItem: KeychainItemReference?) {
        self.certificate = certificate
        self.keychainItem = keychainItem
    }

    /// Creates a certificate of the keychain; `nil` if the stored bytes are not one (Semantics, "External
    /// representations of keys").
    convenience init?(_ reference: CertificateReference) {
        guard let certificate = try? Certificate(der: reference.data.unprotectedCopy) else { return nil }
        self.init(certificate, in: reference.keychainItem)
    }

    /// The certificate as a reference in a request.
    var reference: CertificateReference {
        var reference = certificate.reference
        reference.keychainItem = keychainItem
        return reference
    }

    /// Whether both have the same encoding.
    public static func == (left: SecCertificate, right: SecCertificate) -> Bool {
        left.certificate == right.certificate
    }

    /// Feeds the encoding.
    public func hash(into hasher: inout Hasher) { hasher.combine(certificate) }
}
