// SPDX-License-Identifier: Apache-2.0

internal import SwiftASN1

/// The fields of a certificate that appear only in its properties (RFC 5280, section 4.1).
struct PropertyFields {
    /// The signature algorithm as stated in the body.
    let innerAlgorithm: CertificateProperty.Value
    /// The signature algorithm as stated next to the signature.
    let algorithm: CertificateProperty.Value
    let signature: [UInt8]
    let keyAlgorithm: CertificateProperty.Value
    let issuerIdentifier: [UInt8]?
    let subjectIdentifier: [UInt8]?
    let extensions: [CertificateExtension]

    init(_ der: [UInt8]) throws(CertificateError) {
        var certificate = try CertificateFieldReader(parsing: der[...], "the certificate")
        let body = try certificate.next("body")
        algorithm = try Self.algorithm(certificate.next("signature algorithm"))
        signature = try Self.bits(certificate.next("signature"))
        var fields = try CertificateFieldReader(body, "the certificate's body")
        _ = fields.nextIfPresent(.context(0))
        _ = try fields.next("serial number")
        innerAlgorithm = try Self.algorithm(fields.next("signature algorithm"))
        for field in ["issuer", "validity", "subject"] { _ = try fields.next(field) }
        var key = try CertificateFieldReader(fields.next("public key"), "the public key")
        keyAlgorithm = try Self.algorithm(key.next("algorithm"))
        issuerIdentifier = try fields.nextIfPresent(.context(1)).map(Self.bits)
        subjectIdentifier = try fields.nextIfPresent(.context(2)).map(Self.bits)
        extensions = try CertificateExtension.list(fields.nextIfPresent(.context(3)))
    }

    /// An `AlgorithmIdentifier`; its parameters are the encoded bytes.
    private static func algorithm(_ node: ASN1Node) throws(CertificateError) -> CertificateProperty.Value {
        let name = "an algorithm"
        var fields = try CertificateFieldReader(node, name)
        let type = try fields.next("type").objectIdentifier(name)
        var parts = [CertificateProperty("Algorithm", "\(type)")]
        guard !fields.isAtEnd else { return .section(parts) }
        let parameters = try fields.next("parameters")
        if let named = try? parameters.objectIdentifier(name) {
            parts.append(CertificateProperty("Parameters", "\(named)"))
        } else if parameters.identifier == .null {
            parts.append(CertificateProperty("Parameters", "none"))
        } else {
            parts.append(CertificateProperty("Parameters", .data(Array(parameters.encodedBytes))))
        }
        return .section(parts)
    }

    /// The octets of a BIT STRING, including unused bits.
    private static func bits(_ node: ASN1Node) throws(CertificateError) -> [UInt8] {
        guard case .primitive(let bytes) = node.content else { throw CertificateError("a bit string is in pieces") }
        return Array(bytes.dropFirst())
    }
}

/// The attributes of a name as properties.
enum NameProperties {
    /// A section of the attributes in their order; a relative name with several attributes is a section of its own.
    static func value(_ name: [UInt8]) -> CertificateProperty.Value {
        (try? .section(properties(CertificateFieldReader.parse(name[...], "a name")))) ?? .data(name)
    }

    static func properties(_ node: ASN1Node) throws(CertificateError) -> [CertificateProperty] {
        var relativeNames = try CertificateFieldReader(node, "a name")
        var properties: [CertificateProperty] = []
        while !relativeNames.isAtEnd {
            var values = try CertificateFieldReader(relativeNames.next("part"), as: .set, named: "a part of a name")
            var attributes: [CertificateProperty] = []
            while !values.isAtEnd { attributes.append(try attribute(values.next("attribute"))) }
            if attributes.count > 1 {
                properties.append(CertificateProperty("Relative Name", .section(attributes)))
            } else {
                properties += attributes
            }
        }
        return properties
    }

    private static func attribute(_ node: ASN1Node) throws(CertificateError) -> CertificateProperty {
        var fields = try CertificateFieldReader(node, "an attribute of a name")
        let type = try fields.next("type").objectIdentifier("an attribute of a name")
        let value = try fields.next("value")
        let text = DirectoryString.text(value).map { CertificateProperty.Value.string($0) }
        return CertificateProperty("\(type)", text ?? .data(Array(value.encodedBytes)))
    }
}
