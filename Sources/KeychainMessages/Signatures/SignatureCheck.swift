// SPDX-License-Identifier: Apache-2.0

import KeychainCertificates
import KeychainContainers
import KeychainKeys

/// Whether a signature of a message is good (RFC 5652, section 5.6); nothing is said of whose it is.
package enum SignatureCheck: Sendable, Hashable {
    /// The key of the certificate has signed exactly these contents.
    case valid
    /// The contents are not in the message, and were not given.
    case needsContents
    /// Anything else: another signature, other contents, attributes that are missing or wrong, an algorithm that is not
    /// implemented.
    case invalid

    /// Checks a signature.
    ///
    /// - Parameters:
    ///   - signature: one of the message.
    ///   - message: the message.
    ///   - contents: the contents where they are outside of the message; `nil` for none.
    ///   - certificate: the signer's certificate.
    /// - Returns: Whether it is good.
    package static func of(
        _ signature: MessageSignature,
        in message: SignedData,
        detached contents: [UInt8]?,
        by certificate: Certificate
    ) -> SignatureCheck {
        guard let contents = message.digestedContents ?? contents else { return .needsContents }
        guard let scheme = SignatureScheme(signature),
            let key = try? PublicKey(subjectPublicKeyInfo: certificate.subjectPublicKeyInfo)
        else { return .invalid }
        guard let attributes = signature.attributes else {
            // Other types of contents need attributes (RFC 5652, section 5.3). Contents that are attributes themselves
            // would make a signature of attributes one of contents that nobody signed.
            guard message.contentType == ContentType.data, !MessageSignature.Attributes.isEncoded(in: contents) else {
                return .invalid
            }
            return scheme.isValid(signature.bytes, of: contents, key) ? .valid : .invalid
        }
        guard attributes.contentType == message.contentType, attributes.digest == scheme.digest.digest(of: contents),
            attributes.signedForms.contains(where: { scheme.isValid(signature.bytes, of: $0, key) })
        else { return .invalid }
        return .valid
    }
}

extension Certificate {
    /// Whether a message means the certificate.
    package func isMeant(by name: SignedData.Signer) -> Bool {
        switch name {
        case .serialNumber(let number, let issuer): has(issuer: issuer, serialNumber: number)
        case .subjectKeyIdentifier(let identifier): subjectKeyIdentifier == identifier
        }
    }
}
