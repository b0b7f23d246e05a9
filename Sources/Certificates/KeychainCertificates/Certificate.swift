// SPDX-License-Identifier: Apache-2.0

import Crypto
import KeychainCore
internal import SwiftASN1

/// The fields of an X.509 certificate (RFC 5280) that a keychain uses.
///
/// Neither its signature nor a chain is checked here. Two certificates are equal when their encodings are.
package struct Certificate: Sendable {
    /// The DER encoding.
    package let der: [UInt8]

    /// 1, 2 or 3.
    package let version: Int

    /// The content octets of the serial number, as they are; at least one.
    package let serialNumber: [UInt8]

    /// The validity of the certificate.
    package let validity: Validity

    /// The `SubjectPublicKeyInfo` in DER.
    package let subjectPublicKeyInfo: [UInt8]

    /// The bits of the public key, for example an X9.63 point or an `RSAPublicKey`.
    package let publicKeyBits: [UInt8]

    /// SHA-1 of the bits of the public key, 20 bytes: the application label of its keys (Semantics, "Attributes of a
    /// key").
    package let publicKeyHash: [UInt8]

    /// The content of the issuer's name, normalized (Semantics, "Computed attributes").
    package let normalizedIssuer: [UInt8]

    /// The content of the subject's name, normalized; empty for a subject without a name.
    package let normalizedSubject: [UInt8]

    let issuer: Name
    let subject: Name
    let known: KnownExtensions

    /// Reads a certificate from its DER encoding.
    ///
    /// Deviations in old certificates are accepted: serial numbers of any length and sign, text in any string type,
    /// times without seconds, extensions before version 3, and what is malformed in an extension that is not critical.
    /// Anything that is not a certificate is refused; bytes after the certificate are ignored (Semantics, "Reading
    /// certificates").
    ///
    /// - Throws: ``CertificateError`` with the field that is wrong.
    package init(der: [UInt8]) throws(CertificateError) {
        let der = EncodedValue.first(of: der)
        guard der.count <= EncodingLimit.certificate.bytes else {
            throw CertificateError("the certificate is longer than a mebibyte")
        }
        let body = try CertificateBody(der)
        known = try KnownExtensions(body.extensions)
        self.der = der
        version = body.version
        serialNumber = body.serialNumber
        validity = body.validity
        subjectPublicKeyInfo = body.publicKey.der
        publicKeyBits = body.publicKey.bits
        publicKeyHash = Array(Insecure.SHA1.hash(data: body.publicKey.bits))
        issuer = body.issuer
        subject = body.subject
        normalizedIssuer = DistinguishedName.normalizedContent(issuer.der) ?? []
        normalizedSubject = DistinguishedName.normalizedContent(subject.der) ?? []
    }

    /// The issuer's name as encoded in the certificate: a DER SEQUENCE.
    package var issuerSequence: [UInt8] { issuer.der }

    /// The subject's name as encoded in the certificate: a DER SEQUENCE.
    package var subjectSequence: [UInt8] { subject.der }

    /// The issuer's name, normalized, as a DER SEQUENCE.
    package var normalizedIssuerSequence: [UInt8] { DistinguishedName.sequence(ofContent: normalizedIssuer) }

    /// The subject's name, normalized, as a DER SEQUENCE.
    package var normalizedSubjectSequence: [UInt8] { DistinguishedName.sequence(ofContent: normalizedSubject) }

    /// Whether the certificate has this issuer and serial number, by which messages identify certificates.
    ///
    /// - Parameters:
    ///   - issuer: the issuer's name in DER, in any form with the same normalization.
    ///   - serialNumber: the content octets of the number.
    /// - Returns: Whether both match.
    package func has(issuer: [UInt8], serialNumber: [UInt8]) -> Bool {
        serialNumber == self.serialNumber
            && (issuer == issuerSequence || DistinguishedName.normalizedContent(issuer) == normalizedIssuer)
    }

    /// Whether the certificate is self-issued: the names of subject and issuer are equal.
    package var isSelfIssued: Bool { normalizedIssuer == normalizedSubject }

    /// The value of the subject key identifier extension; `nil` if it is missing or empty.
    package var subjectKeyIdentifier: [UInt8]? { known.subjectKeyIdentifier.flatMap { $0.isEmpty ? nil : $0 } }

    /// A human-readable line that identifies the subject (Semantics, "Computed attributes"); `nil` if no name is text.
    package var subjectSummary: String? { SubjectSummary.text(subject, known.alternativeNames) }

    /// The subject's common name, the most specific one if there are several; `nil` if there is none.
    package var commonName: String? { subject.texts(.NameAttributes.commonName).last }

    /// The e-mail addresses of the alternative names, then those of the subject's name, without duplicates.
    package var emailAddresses: [String] { EmailAddresses.list(subject, known.alternativeNames) }

    /// The DNS names of the alternative names, in their order.
    package var dnsNames: [String] { known.alternativeNames?.dnsNames ?? [] }

    /// The purposes to which the key is limited, in dotted decimal notation; `nil` without a limit.
    package var extendedKeyUsage: [String]? { known.extendedKeyUsage?.map { "\($0)" } }

    /// Whether the certificate contains an e-mail address; the case of ASCII letters is ignored.
    ///
    /// RFC 5280 compares the part before the @ exactly; users do not, and trust does not depend on the answer.
    package func names(emailAddress: String) -> Bool {
        let address = ASCII.lowercased(emailAddress)
        return emailAddresses.contains { ASCII.lowercased($0) == address }
    }
}

extension Certificate: Hashable {
    /// Whether both have the same encoding.
    package static func == (left: Certificate, right: Certificate) -> Bool { left.der == right.der }

    /// Hashes the encoding.
    package func hash(into hasher: inout Hasher) { hasher.combine(der) }
}
