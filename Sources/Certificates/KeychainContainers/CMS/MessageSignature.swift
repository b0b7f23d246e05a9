// SPDX-License-Identifier: Apache-2.0

import KeychainCertificates
import SwiftASN1

/// A `SignerInfo` of the Cryptographic Message Syntax (RFC 5652, section 5.3): the signer, the signed data and the
/// signature.
package struct MessageSignature: Sendable, Hashable {
    /// The signer.
    package let signer: SignedData.Signer

    /// The digest function, in dotted decimal notation.
    package let digestAlgorithm: String

    /// The attributes that are signed instead of the contents; `nil` if the contents themselves are signed.
    package let attributes: Attributes?

    /// The algorithm of the signature, in dotted decimal notation.
    package let algorithm: String

    /// The parameters of the algorithm in DER; `nil` without any.
    package let parameters: [UInt8]?

    /// The signature.
    package let bytes: [UInt8]

    /// The timestamp token of the signature, which is itself a message (RFC 3161, appendix A); `nil` without one.
    package let timestampToken: [UInt8]?

    /// The attributes that are signed.
    package struct Attributes: Sendable, Hashable {
        /// The encodings of which one is signed: the SET OF in DER (RFC 5652, section 5.4), then, if it differs, in the
        /// order of the message, which some software signs and OpenSSL verifies.
        package let signedForms: [[UInt8]]

        /// The type of the contents, as the content octets of its object identifier; `nil` without the attribute.
        package private(set) var contentType: [UInt8]?

        /// The digest of the contents; `nil` without the attribute.
        package private(set) var digest: [UInt8]?

        /// The signing time that the signer claims, as the text of a GeneralizedTime; `nil` without the attribute.
        package private(set) var signingTime: String?

        /// The digest of the certificate that the signer claims as its own; `nil` without the attribute, or if it is
        /// malformed.
        package private(set) var certificateDigest: CertificateDigest?
    }

    /// The digest of a certificate in an `ESSCertID` (RFC 2634, section 5.4.1; RFC 5035).
    package struct CertificateDigest: Sendable, Hashable {
        /// The digest function, in dotted decimal notation.
        package let algorithm: String
        /// The digest of the certificate in DER.
        package let digest: [UInt8]
    }

    init(_ node: ASN1Node) throws(ContainerError) {
        var fields = try ContainerFieldReader(node, "a signer")
        _ = try fields.integer("version of a signer")
        signer = try Self.signer(fields.next("name of a signer"))
        digestAlgorithm = try Self.algorithm(fields.next("digest algorithm")).type
        attributes = try fields.nextIfPresent(.context(0)).map(Attributes.init)
        (algorithm, parameters) = try Self.algorithm(fields.next("signature algorithm"))
        bytes = Array(try fields.octets("signature"))
        timestampToken = try fields.nextIfPresent(.context(1)).flatMap(Self.timestampToken)
        try fields.end()
    }

    private static func signer(_ name: ASN1Node) throws(ContainerError) -> SignedData.Signer {
        guard name.identifier == .sequence else {
            return .subjectKeyIdentifier(Array(try name.octets(.context(0), "name of a signer")))
        }
        return try SignedData.Signer(issuerAndSerialNumber: name)
    }

    /// An `AlgorithmIdentifier`: its type in dotted decimal notation, and its parameters in DER.
    static func algorithm(_ node: ASN1Node) throws(ContainerError) -> (type: String, parameters: [UInt8]?) {
        var fields = try ContainerFieldReader(node, "an algorithm")
        let type = try fields.objectIdentifier("type of an algorithm")
        guard !fields.isAtEnd else { return ("\(type)", nil) }
        let parameters = Array(try fields.next("parameters").encodedBytes)
        try fields.end()
        return ("\(type)", parameters)
    }

    private static func timestampToken(_ node: ASN1Node) throws(ContainerError) -> [UInt8]? {
        var fields = try ContainerFieldReader(node, as: .context(1), named: "the attributes that are not signed")
        while !fields.isAtEnd {
            var attribute = try ContainerFieldReader(fields.next("attribute"), "an attribute")
            guard try attribute.objectIdentifier("type of an attribute") == .timestampToken else { continue }
            var values = try ContainerFieldReader(
                attribute.next("values"),
                as: .set,
                named: "the values of an attribute"
            )
            return Array(try values.next("value").encodedBytes)
        }
        return nil
    }
}

extension SignedData.Signer {
    /// An `IssuerAndSerialNumber`.
    init(issuerAndSerialNumber node: ASN1Node) throws(ContainerError) {
        var parts = try ContainerFieldReader(node, "the name of a certificate")
        let issuer = Array(try parts.next("issuer").encodedBytes)
        let number = try parts.next("serial number")
        try parts.end()
        guard number.identifier == .integer, case .primitive(let octets) = number.content else {
            throw .malformed("a serial number is not a number")
        }
        self = .serialNumber(Array(octets), issuer: issuer)
    }
}

extension MessageSignature.Attributes {
    fileprivate init(_ node: ASN1Node) throws(ContainerError) {
        var fields = try ContainerFieldReader(node, as: .context(0), named: "the signed attributes")
        var encoded: [[UInt8]] = []
        var types: Set<ASN1ObjectIdentifier> = []
        var values: [ASN1ObjectIdentifier: ASN1Node] = [:]
        while !fields.isAtEnd {
            let one = try fields.next("attribute")
            encoded.append(try DERDocument.bytes { try $0.serializeDistinguished(one) })
            var attribute = try ContainerFieldReader(one, "an attribute")
            let type = try attribute.objectIdentifier("type of an attribute")
            guard types.insert(type).inserted else { throw .malformed("an attribute occurs twice") }
            var set = try ContainerFieldReader(attribute.next("values"), as: .set, named: "the values of an attribute")
            try attribute.end()
            // The attributes that are used have exactly one value (RFC 5652, section 11).
            guard Self.known.contains(type) else { continue }
            values[type] = try set.next("value")
            try set.end()
        }
        let sorted = encoded.sorted { $0.lexicographicallyPrecedes($1) }
        let orders = sorted == encoded ? [sorted] : [sorted, encoded]
        signedForms = try orders.map { (attributes) throws(ContainerError) in
            try DERDocument.bytes { serializer in
                serializer.appendConstructedNode(identifier: .set) { $0.serializeRawBytes(attributes.joined()) }
            }
        }
        contentType = try values[.contentType].map { (node) throws(ContainerError) in
            try node.objectIdentifierOctets("type of the contents")
        }
        digest = try values[.messageDigest].map { (node) throws(ContainerError) in
            Array(try node.octets(.octetString, "digest of the contents"))
        }
        signingTime = values[.signingTime].flatMap(Self.generalizedTime)
        certificateDigest =
            values[.signingCertificateV2].flatMap { try? Self.certificateDigest($0, "2.16.840.1.101.3.4.2.1") }
            ?? values[.signingCertificate].flatMap { try? Self.certificateDigest($0, "1.3.14.3.2.26") }
    }

    /// The first `ESSCertID`, which is that of the signer's certificate, with a default for its digest function.
    private static func certificateDigest(
        _ node: ASN1Node,
        _ algorithm: String
    ) throws(ContainerError) -> MessageSignature.CertificateDigest {
        var attribute = try ContainerFieldReader(node, "a signing certificate")
        var list = try ContainerFieldReader(attribute.next("certificates"), "the certificates")
        var identifier = try ContainerFieldReader(list.next("certificate"), "a certificate")
        let named = try identifier.nextIfPresent(.sequence).map(MessageSignature.algorithm)
        let digest = try identifier.octets("digest of a certificate")
        return MessageSignature.CertificateDigest(algorithm: named?.type ?? algorithm, digest: Array(digest))
    }

    /// The text of a `Time` (RFC 5652, section 11.3), with the century of RFC 5280, section 4.1.2.5.1.
    private static func generalizedTime(_ node: ASN1Node) -> String? {
        guard case .primitive(let octets) = node.content else { return nil }
        let text = String(decoding: octets, as: UTF8.self)
        switch node.identifier {
        case .generalizedTime: return text
        case .utcTime: return (text < "50" ? "20" : "19") + text
        default: return nil
        }
    }

    /// Whether bytes are attributes in the encoding that is signed, including the two mandatory ones.
    package static func isEncoded(in bytes: [UInt8]) -> Bool {
        guard bytes.first == 0x31,
            let node = try? MessageNode.parse([0xA0] + bytes.dropFirst()),
            let attributes = try? Self(node)
        else { return false }
        return attributes.contentType != nil && attributes.digest != nil
    }

    private static let known: Set<ASN1ObjectIdentifier> = [
        .contentType, .messageDigest, .signingTime, .signingCertificate, .signingCertificateV2,
    ]
}

extension ASN1ObjectIdentifier {
    /// Attributes (RFC 5652, section 11).
    static let contentType: ASN1ObjectIdentifier = [1, 2, 840, 113549, 1, 9, 3]
    static let messageDigest: ASN1ObjectIdentifier = [1, 2, 840, 113549, 1, 9, 4]
    static let signingTime: ASN1ObjectIdentifier = [1, 2, 840, 113549, 1, 9, 5]
    fileprivate static let signingCertificate: ASN1ObjectIdentifier = [1, 2, 840, 113549, 1, 9, 16, 2, 12]
    fileprivate static let signingCertificateV2: ASN1ObjectIdentifier = [1, 2, 840, 113549, 1, 9, 16, 2, 47]
    fileprivate static let timestampToken: ASN1ObjectIdentifier = [1, 2, 840, 113549, 1, 9, 16, 2, 14]
}
