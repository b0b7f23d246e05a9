// SPDX-License-Identifier: Apache-2.0

import Crypto
import KeychainCore
internal import SwiftASN1

/// An X.509 certificate (RFC 5280), as far as a keychain looks at it.
///
/// Neither its signature nor a chain is checked here. Two certificates are equal when their encodings are.
package struct Certificate: Sendable {
    /// The DER encoding.
    package let der: [UInt8]

    /// 1, 2 or 3.
    package let version: Int

    /// The content octets of the serial number, as they are; at least one.
    package let serialNumber: [UInt8]

    /// When the certificate may be used.
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
    /// What certificates of the past need is let through: serial numbers of any length and sign, text in any string
    /// type, times without seconds, extensions before version 3, and what is malformed in an extension that is not
    /// critical. What is no certificate is refused; what stands behind one is no part of it (Semantics, "Reading
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

    /// The issuer's name as the certificate has it: a DER SEQUENCE.
    package var issuerSequence: [UInt8] { issuer.der }

    /// The subject's name as the certificate has it: a DER SEQUENCE.
    package var subjectSequence: [UInt8] { subject.der }

    /// The issuer's name, normalized, as a DER SEQUENCE.
    package var normalizedIssuerSequence: [UInt8] { DistinguishedName.sequence(ofContent: normalizedIssuer) }

    /// The subject's name, normalized, as a DER SEQUENCE.
    package var normalizedSubjectSequence: [UInt8] { DistinguishedName.sequence(ofContent: normalizedSubject) }

    /// Whether the certificate has an issuer and a serial number, as messages name certificates.
    ///
    /// - Parameters:
    ///   - issuer: the issuer's name in DER, in any form that is the same normalized.
    ///   - serialNumber: the content octets of the number.
    /// - Returns: Whether both are its own.
    package func has(issuer: [UInt8], serialNumber: [UInt8]) -> Bool {
        serialNumber == self.serialNumber
            && (issuer == issuerSequence || DistinguishedName.normalizedContent(issuer) == normalizedIssuer)
    }

    /// Whether the subject has issued the certificate itself, by the names.
    package var isSelfIssued: Bool { normalizedIssuer == normalizedSubject }

    /// What the subject key identifier extension holds; `nil` without one, or when it is empty.
    package var subjectKeyIdentifier: [UInt8]? { known.subjectKeyIdentifier.flatMap { $0.isEmpty ? nil : $0 } }

    /// A line for people that says whose certificate it is (Semantics, "Computed attributes"); `nil` when no name is
    /// text.
    package var subjectSummary: String? { SubjectSummary.text(subject, known.alternativeNames) }

    /// The subject's common name, the most specific one when there are several; `nil` without one.
    package var commonName: String? { subject.texts(.NameAttributes.commonName).last }

    /// The e-mail addresses of the alternative names, then those of the subject's name, each once.
    package var emailAddresses: [String] { EmailAddresses.list(subject, known.alternativeNames) }

    /// The DNS names of the alternative names, in their order.
    package var dnsNames: [String] { known.alternativeNames?.dnsNames ?? [] }

    /// The purposes that the key is limited to, as numbers with dots between; `nil` without a limit.
    package var extendedKeyUsage: [String]? { known.extendedKeyUsage?.map { "\($0)" } }

    /// Whether the certificate names an e-mail address; upper and lower case of ASCII letters count as one.
    ///
    /// RFC 5280 compares what stands before the @ exactly; people do not, and no trust follows from the answer.
    package func names(emailAddress: String) -> Bool {
        let address = ASCII.lowercased(emailAddress)
        return emailAddresses.contains { ASCII.lowercased($0) == address }
    }
}

extension Certificate: Hashable {
    /// Whether both have the same encoding.
    package static func == (left: Certificate, right: Certificate) -> Bool { left.der == right.der }

    /// Feeds the encoding.
    package func hash(into hasher: inout Hasher) { hasher.combine(der) }
}
