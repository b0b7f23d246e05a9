// SPDX-License-Identifier: Apache-2.0

import KeychainASN1
import SwiftASN1

/// A `SignedData` in a `ContentInfo` of the Cryptographic Message Syntax (RFC 5652, sections 3 and 5), or of PKCS #7
/// (RFC 2315).
///
/// It is taken apart, not judged: no signature is verified. Without contents and signers it is how files have several
/// certificates, a PKCS #7 file.
public struct SignedData: Sendable, Hashable {
    /// Who has signed.
    public enum Signer: Sendable, Hashable {
        /// The certificate of this serial number, by its content octets; its issuer's name in DER.
        case serialNumber([UInt8], issuer: [UInt8])
        /// The certificate of this subject key identifier.
        case subjectKeyIdentifier([UInt8])
    }

    /// What is signed; `nil` where it is elsewhere, or there is none.
    ///
    /// Contents that are no octet string, which PKCS #7 allows, are the encoding of their value.
    public var contents: [UInt8]?

    /// The certificates in their order, each in DER, not parsed; other kinds of certificates than X.509 are left out.
    public var certificates: [[UInt8]]

    /// Who has signed.
    public var signers: [Signer]

    /// Certificates for a file of their own.
    public init(certificates: [[UInt8]]) {
        contents = nil
        self.certificates = certificates
        signers = []
    }

    /// Reads a message in DER or BER.
    ///
    /// - Throws: ``ContainerError``: `.unsupported` for another kind of message, for example an encrypted one.
    public init(_ bytes: [UInt8]) throws(ContainerError) {
        var message = try FieldReader(parsing: bytes[...], "the message")
        let type = try message.objectIdentifier("type of the message")
        guard type == .signedData else { throw .unsupported("the message is of the type \(type), not signed data") }
        let signedData = try message.tagged(0, "signed data")
        try message.end()
        var fields = try FieldReader(signedData, "the signed data")
        _ = try fields.integer("version")
        _ = try FieldReader(fields.next("digest algorithms"), .set, "the digest algorithms")
        contents = try Self.contents(fields.next("contents"))
        certificates = try fields.nextIfPresent(.context(0)).map(Self.certificates) ?? []
        _ = fields.nextIfPresent(.context(1))
        signers = try Self.signers(fields.next("signers"))
        try fields.end()
    }

    private static func contents(_ node: ASN1Node) throws(ContainerError) -> [UInt8]? {
        var fields = try FieldReader(node, "the contents")
        _ = try fields.objectIdentifier("type of the contents")
        guard !fields.isAtEnd else { return nil }
        let value = try fields.tagged(0, "contents")
        try fields.end()
        guard value.identifier == .octetString else { return Array(value.encodedBytes) }
        return Array(try value.octets(.octetString, "contents"))
    }

    /// The bytes of each; what is parsed in DER later is refused there when it is in BER.
    private static func certificates(_ node: ASN1Node) throws(ContainerError) -> [[UInt8]] {
        var fields = try FieldReader(node, .context(0), "the certificates")
        var certificates: [[UInt8]] = []
        while !fields.isAtEnd {
            let certificate = try fields.next("certificate")
            if certificate.identifier == .sequence { certificates.append(Array(certificate.encodedBytes)) }
        }
        return certificates
    }

    private static func signers(_ node: ASN1Node) throws(ContainerError) -> [Signer] {
        var fields = try FieldReader(node, .set, "the signers")
        var signers: [Signer] = []
        while !fields.isAtEnd {
            var signer = try FieldReader(fields.next("signer"), "a signer")
            _ = try signer.integer("version of a signer")
            let name = try signer.next("name of a signer")
            guard name.identifier == .sequence else {
                signers.append(.subjectKeyIdentifier(Array(try name.octets(.context(0), "name of a signer"))))
                continue
            }
            var parts = try FieldReader(name, "the name of a signer")
            let issuer = Array(try parts.next("issuer").encodedBytes)
            let number = try parts.next("serial number")
            guard number.identifier == .integer, case .primitive(let octets) = number.content else {
                throw .malformed("a serial number is not a number")
            }
            signers.append(.serialNumber(Array(octets), issuer: issuer))
        }
        return signers
    }
}

extension SignedData {
    /// The certificates as a PKCS #7 file: a message without contents and signers, in DER but for their order.
    ///
    /// - Throws: ``ContainerError`` for what cannot be encoded.
    public func encodedCertificates() throws(ContainerError) -> [UInt8] {
        try DERDocument.bytes { serializer in
            try serializer.serializeContentInfo(.signedData) { info in
                try info.appendConstructedNode(identifier: .sequence) { data in
                    try data.serialize(1)
                    data.appendConstructedNode(identifier: .set) { _ in }
                    try data.appendConstructedNode(identifier: .sequence) { contents in
                        try contents.serialize(ASN1ObjectIdentifier.data)
                    }
                    // In the order given, which says more than that of their encodings.
                    data.appendConstructedNode(identifier: .context(0)) { list in
                        for certificate in certificates { list.serializeRawBytes(certificate) }
                    }
                    data.appendConstructedNode(identifier: .set) { _ in }
                }
            }
        }
    }
}
