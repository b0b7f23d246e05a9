// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// Checks stapled OCSP responses (RFC 6960).
enum StapledOCSPResponses {
    /// The status of a certificate (`V_OCSP_CERTSTATUS_GOOD`, `V_OCSP_CERTSTATUS_REVOKED`).
    enum CertificateStatus: Int32 {
        case good = 0
        case revoked = 1
    }

    /// The status that the responses give a certificate.
    ///
    /// A response counts when the issuer has signed it, or a responder that the issuer has certified for it; and at the
    /// date, from `thisUpdate` to `nextUpdate`.
    ///
    /// - Parameters:
    ///   - responses: `OCSPResponse` in DER, each.
    ///   - certificate: what is asked about.
    ///   - issuer: who has issued it.
    ///   - date: when.
    ///   - openssl: the library.
    /// - Returns: `nil` when no response counts.
    static func status(
        _ responses: [[UInt8]],
        of certificate: OpenSSLCertificate,
        issuer: OpenSSLCertificate,
        at date: Timestamp,
        _ openssl: OpenSSL
    ) -> CertificateStatus? {
        let statuses = responses.compactMap { response in
            let status = response.withUnsafeBufferPointer { bytes in
                withExtendedLifetime((certificate, issuer)) {
                    COpenSSL.ocspStatus(
                        openssl.functions,
                        bytes.baseAddress,
                        bytes.count,
                        certificate.pointer,
                        issuer.pointer,
                        date.secondsSince1970
                    )
                }
            }
            return CertificateStatus(rawValue: status)
        }
        return statuses.contains(.revoked) ? .revoked : statuses.first
    }
}
