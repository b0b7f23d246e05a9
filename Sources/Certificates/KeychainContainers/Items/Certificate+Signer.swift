// SPDX-License-Identifier: Apache-2.0

import KeychainCertificates
import KeychainKeys

extension Certificate {
    /// Whether another certificate's key made the signature of this one; neither is evaluated.
    package func isSigned(by issuer: Certificate) -> Bool {
        guard let signature, let algorithm = Self.algorithms[signature.algorithm].flatMap(KeyAlgorithm.init),
            let key = try? PublicKey(subjectPublicKeyInfo: issuer.subjectPublicKeyInfo)
        else { return false }
        let result: Void? = signature.bytes.withUnsafeBytes { bytes in
            signature.signedBytes.withUnsafeBytes { signed in try? key.verify(bytes, of: signed, algorithm) }
        }
        return result != nil
    }

    /// The signature algorithms of certificates (RFC 8017, appendix C; RFC 5758, section 3.2) by Apple's names.
    private static let algorithms = [
        "1.2.840.113549.1.1.5": "algid:sign:RSA:message-PKCS1v15:SHA1",
        "1.2.840.113549.1.1.14": "algid:sign:RSA:message-PKCS1v15:SHA224",
        "1.2.840.113549.1.1.11": "algid:sign:RSA:message-PKCS1v15:SHA256",
        "1.2.840.113549.1.1.12": "algid:sign:RSA:message-PKCS1v15:SHA384",
        "1.2.840.113549.1.1.13": "algid:sign:RSA:message-PKCS1v15:SHA512",
        "1.2.840.10045.4.1": "algid:sign:ECDSA:message-X962:SHA1",
        "1.2.840.10045.4.3.1": "algid:sign:ECDSA:message-X962:SHA224",
        "1.2.840.10045.4.3.2": "algid:sign:ECDSA:message-X962:SHA256",
        "1.2.840.10045.4.3.3": "algid:sign:ECDSA:message-X962:SHA384",
        "1.2.840.10045.4.3.4": "algid:sign:ECDSA:message-X962:SHA512",
    ]
}
