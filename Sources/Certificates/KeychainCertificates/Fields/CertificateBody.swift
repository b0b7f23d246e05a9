// SPDX-License-Identifier: Apache-2.0

internal import SwiftASN1

/// The `TBSCertificate` of RFC 5280, section 4.1.2, field by field.
struct CertificateBody {
    let version: Int
    let serialNumber: [UInt8]
    let issuer: Name
    let validity: Validity
    let subject: Name
    let publicKey: PublicKeyInfo
    let extensions: [CertificateExtension]

    /// Parses a whole certificate; the signature must be present, but is not verified.
    init(_ der: [UInt8]) throws(CertificateError) {
        var certificate = try CertificateFieldReader(parsing: der[...], "the certificate")
        let body = try certificate.next("body")
        try AlgorithmField.check(certificate.next("signature algorithm"), "the signature algorithm")
        // Unused bits occur; they are rejected when the signature is verified.
        try certificate.next("signature").checkBits("the signature")
        try certificate.end()
        try self.init(body)
    }

    private init(_ node: ASN1Node) throws(CertificateError) {
        var fields = try CertificateFieldReader(node, "the certificate's body")
        version = try Self.version(fields.nextIfPresent(.context(0)))
        // Serial numbers that are negative, zero, padded or too long occur; the octets are used unchanged.
        serialNumber = try Array(fields.bytes(.integer, "the serial number"))
        guard !serialNumber.isEmpty else { throw CertificateError("the serial number is empty") }
        try AlgorithmField.check(fields.next("signature algorithm"), "the body's signature algorithm")
        issuer = try Name(fields.next("issuer"), "the issuer")
        validity = try Validity(fields.next("validity"))
        subject = try Name(fields.next("subject"), "the subject")
        publicKey = try PublicKeyInfo(fields.next("public key"))
        for number: UInt in [1, 2] {
            guard let identifier = fields.nextIfPresent(.context(number)) else { continue }
            _ = try identifier.bytes(.context(number), "a unique identifier")
        }
        extensions = try CertificateExtension.list(fields.nextIfPresent(.context(3)))
        try fields.end()
    }

    /// 1 if there is no version; DER does not permit an explicit default, and Apple's parser refuses it.
    private static func version(_ node: ASN1Node?) throws(CertificateError) -> Int {
        guard let node else { return 1 }
        var fields = try CertificateFieldReader(node, as: .context(0), named: "the version")
        let number = try fields.bytes(.integer, "the version")
        try fields.end()
        guard number.count == 1, let version = number.first, (1...2).contains(version) else {
            throw CertificateError("the version is none of 1, left out, 2 and 3")
        }
        return Int(version) + 1
    }
}
