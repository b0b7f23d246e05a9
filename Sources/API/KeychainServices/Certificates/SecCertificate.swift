// SPDX-License-Identifier: Apache-2.0

import KeychainCertificates
import KeychainCore

/// An X.509 certificate.
public final class SecCertificate: Hashable, Sendable {
    let certificate: Certificate

    /// Where in a file-based keychain the certificate is; `nil` for one that is in none.
    private let keychainItem: KeychainItemReference?

    convenience init(_ certificate: Certificate) { self.init(certificate, in: nil) }

    private init(_ certificate: Certificate, in keychainItem: KeychainItemReference?) {
        self.certificate = certificate
        self.keychainItem = keychainItem
    }

    /// A certificate of the keychain; `nil` when the stored bytes are none (Semantics, "External representations of
    /// keys").
    convenience init?(_ reference: CertificateReference) {
        guard let certificate = try? Certificate(der: reference.data.unprotectedCopy) else { return nil }
        self.init(certificate, in: reference.keychainItem)
    }

    /// What the certificate brings to a request.
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
