// SPDX-License-Identifier: Apache-2.0

import KeychainCertificates
import SwiftASN1

/// A `SignedData` in a `ContentInfo` of the Cryptographic Message Syntax (RFC 5652, sections 3 and 5), or of PKCS #7
/// (RFC 2315).
///
/// It is parsed, not verified: `SignatureChecker` of `KeychainMessages` verifies signatures. Without contents and
/// signers, it is a PKCS #7 file with several certificates.
package struct SignedData: Sendable, Hashable {
    /// The signer.
    package enum Signer: Sendable, Hashable {
        /// The issuer's name of the certificate in DER, and the content octets of its serial number.
        case serialNumber([UInt8], issuer: [UInt8])
        /// The certificate of this subject key identifier.
        case subjectKeyIdentifier([UInt8])
    }

    /// The signed contents, exactly the input of the digests; `nil` if they are detached, or there are none.
    ///
    /// If the contents are not an octet string, which PKCS #7 permits for types other than data, these are the octets
    /// without tag and length (RFC 2315, section 9.3): the tag is not signed.
    package private(set) var contents: [UInt8]?

    /// The type of the contents, as the content octets of its object identifier.
    package private(set) var contentType = ContentType.data

    /// The certificates in their order, each in DER, not parsed; certificates other than X.509 are left out.
    package var certificates: [[UInt8]]

    /// The signers, and the signed data of each.
    package private(set) var signatures: [MessageSignature]

    /// The signer.
    package var signers: [Signer] { signatures.map(\.signer) }

    /// A message that contains only certificates.
    package init(certificates: [[UInt8]]) {
        contents = nil
        self.certificates = certificates
        signatures = []
    }

    /// Reads a message in DER or BER.
    ///
    /// - Throws: ``ContainerError``: `.unsupported` for another kind of message, such as an encrypted one.
    package init(_ bytes: [UInt8]) throws(ContainerError) {
        let (type, value) = try MessageNode.contentInfo(bytes)
        guard type == .signedData else { throw .unsupported("the message is of the type \(type), not signed data") }
        try self.init(value)
    }

    /// Parses a bare `SignedData`, as contained in an encrypted message.
    package init(bare bytes: [UInt8]) throws(ContainerError) {
        try self.init(MessageNode.parse(bytes))
    }

    init(_ node: ASN1Node) throws(ContainerError) {
        var fields = try ContainerFieldReader(node, "the signed data")
        _ = try fields.integer("version")
        _ = try ContainerFieldReader(fields.next("digest algorithms"), as: .set, named: "the digest algorithms")
        certificates = []
        signatures = []
        try read(contents: fields.next("contents"))
        certificates = try fields.nextIfPresent(.context(0)).map(Self.certificates) ?? []
        _ = fields.nextIfPresent(.context(1))
        signatures = try Self.signatures(fields.next("signers"))
        try fields.end()
    }

    private mutating func read(contents node: ASN1Node) throws(ContainerError) {
        var fields = try ContainerFieldReader(node, "the contents")
        contentType = try fields.next("type of the contents").objectIdentifierOctets("type of the contents")
        guard !fields.isAtEnd else { return }
        let value = try fields.tagged(0, "contents")
        try fields.end()
        guard value.identifier != .octetString else {
            contents = Array(try value.octets(.octetString, "contents"))
            return
        }
        guard contentType != ContentType.data else { throw .malformed("the contents are data, and no octet string") }
        switch value.content {
        case .primitive(let octets): contents = Array(octets)
        case .constructed(let parts): contents = parts.flatMap { Array($0.encodedBytes) }
        }
    }

    /// The bytes of each; a certificate in BER is refused later, when it is parsed as DER.
    private static func certificates(_ node: ASN1Node) throws(ContainerError) -> [[UInt8]] {
        var fields = try ContainerFieldReader(node, as: .context(0), named: "the certificates")
        var certificates: [[UInt8]] = []
        while !fields.isAtEnd {
            let certificate = try fields.next("certificate")
            if certificate.identifier == .sequence { certificates.append(Array(certificate.encodedBytes)) }
        }
        return certificates
    }

    private static func signatures(_ node: ASN1Node) throws(ContainerError) -> [MessageSignature] {
        var fields = try ContainerFieldReader(node, as: .set, named: "the signers")
        var signatures: [MessageSignature] = []
        while !fields.isAtEnd { signatures.append(try MessageSignature(fields.next("signer"))) }
        return signatures
    }
}

extension SignedData {
    /// The certificates as a PKCS #7 file: a message without contents and signers, in DER except for their order.
    ///
    /// - Throws: ``ContainerError`` for a value that cannot be encoded.
    package func encodedCertificates() throws(ContainerError) -> [UInt8] {
        try DERDocument.bytes { serializer in
            try serializer.serializeContentInfo(.signedData) { info in
                try info.appendConstructedNode(identifier: .sequence) { data in
                    try data.serialize(1)
                    data.appendConstructedNode(identifier: .set) { _ in }
                    try data.appendConstructedNode(identifier: .sequence) { contents in
                        try contents.serialize(ASN1ObjectIdentifier.data)
                    }
                    // In the given order, which is more informative than that of the encodings.
                    data.appendConstructedNode(identifier: .context(0)) { list in
                        for certificate in certificates { list.serializeRawBytes(certificate) }
                    }
                    data.appendConstructedNode(identifier: .set) { _ in }
                }
            }
        }
    }
}
