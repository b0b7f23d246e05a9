// SPDX-License-Identifier: Apache-2.0

import KeychainCertificates
import KeychainCore

/// An X.509 certificate.
public final class SecCertificate: Hashable, Sendable {
    let certificate: Certificate

    init(_ certificate: Certificate) { self.certificate = certificate }

    /// A certificate of the keychain; `nil` when the stored bytes are none (Semantics, "External representations of
    /// keys").
    convenience init?(_ reference: CertificateReference) {
        guard let certificate = try? Certificate(der: reference.data.unprotectedCopy) else { return nil }
        self.init(certificate)
    }

    /// What the certificate brings to a request.
    var reference: CertificateReference { certificate.reference }

    /// Whether both have the same encoding.
    public static func == (left: SecCertificate, right: SecCertificate) -> Bool {
        left.certificate == right.certificate
    }

    /// Feeds the encoding.
    public func hash(into hasher: inout Hasher) { hasher.combine(certificate) }
}
