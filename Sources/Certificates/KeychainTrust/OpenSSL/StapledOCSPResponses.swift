// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// Checks stapled OCSP responses (RFC 6960).
enum StapledOCSPResponses {
    /// The status of a certificate (`V_OCSP_CERTSTATUS_GOOD`, `V_OCSP_CERTSTATUS_REVOKED`).
    enum CertificateStatus: Int32 {
        case good = 0
        case revoked = 1
    }

    /// The status of a certificate in the responses.
    ///
    /// A response is valid if it was signed by the issuer, or by a responder that the issuer certified for that; and if
    /// the date is between `thisUpdate` and `nextUpdate`.
    ///
    /// - Parameters:
    ///   - responses: `OCSPResponse` values in DER.
    ///   - certificate: the certificate in question.
    ///   - issuer: its issuer.
    ///   - date: the time of the evaluation.
    ///   - openssl: the library.
    /// - Returns: `nil` if no response is valid.
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
