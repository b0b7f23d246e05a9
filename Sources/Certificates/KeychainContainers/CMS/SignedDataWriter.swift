// SPDX-License-Identifier: Apache-2.0

import KeychainCertificates
import SwiftASN1

/// Writes a `SignedData` (RFC 5652, section 5) in DER, except for the order of its certificates and signers.
package struct SignedDataWriter: Sendable {
    /// The type of the contents, as the content octets of its object identifier.
    package var contentType: [UInt8]

    /// The signed contents; `nil` if they are detached.
    package var contents: [UInt8]?

    /// Certificates in DER.
    package var certificates: [[UInt8]] = []

    private var signatures: [Signature] = []

    fileprivate struct Signature {
        var signer: Signer
        var attributes: [UInt8]?
        var bytes: [UInt8]
    }

    /// A signer, and the algorithms of its signature.
    package struct Signer: Sendable {
        /// The issuer's name of its certificate, in DER.
        package var issuer: [UInt8]
        /// The content octets of the serial number of its certificate.
        package var serialNumber: [UInt8]
        /// The digest function, in dotted decimal notation.
        package var digestAlgorithm: String
        /// The algorithm of the signature, in dotted decimal notation.
        package var signatureAlgorithm: String
        /// Whether the parameters of that algorithm are NULL, as for RSA (RFC 3370, section 3.2).
        package var hasNullParameters: Bool

        /// A signer.
        package init(
            issuer: [UInt8],
            serialNumber: [UInt8],
            digestAlgorithm: String,
            signatureAlgorithm: String,
            hasNullParameters: Bool
        ) {
            self.issuer = issuer
            self.serialNumber = serialNumber
            self.digestAlgorithm = digestAlgorithm
            self.signatureAlgorithm = signatureAlgorithm
            self.hasNullParameters = hasNullParameters
        }
    }

    /// A message without signatures.
    package init(contentType: [UInt8], contents: [UInt8]?) {
        self.contentType = contentType
        self.contents = contents
    }

    /// Adds a signature.
    ///
    /// - Parameters:
    ///   - signer: the signer.
    ///   - attributes: the signed encoding of ``SignedAttributes``; `nil` if the contents themselves are signed.
    ///   - signature: the signature.
    package mutating func add(_ signer: Signer, attributes: [UInt8]?, signature: [UInt8]) {
        signatures.append(Signature(signer: signer, attributes: attributes, bytes: signature))
    }

    /// The message.
    ///
    /// - Throws: ``ContainerError`` for a value that cannot be encoded.
    package func message() throws(ContainerError) -> [UInt8] {
        try DERDocument.bytes { serializer in
            try serializer.serializeContentInfo(.signedData) { try write(into: &$0) }
        }
    }

    /// The message without its `ContentInfo`, as contained in an encrypted one.
    ///
    /// - Throws: ``ContainerError`` for a value that cannot be encoded.
    package func bareMessage() throws(ContainerError) -> [UInt8] {
        try DERDocument.bytes { try write(into: &$0) }
    }

    private func write(into serializer: inout DER.Serializer) throws {
        try serializer.appendConstructedNode(identifier: .sequence) { data in
            // Version 3 is for other types of contents (RFC 5652, section 5.1).
            try data.serialize(contentType == ContentType.data ? 1 : 3)
            try data.appendConstructedNode(identifier: .set) { set in
                for digest in Set(signatures.map(\.signer.digestAlgorithm)).sorted() {
                    try set.serializeAlgorithm(digest, hasNull: false)
                }
            }
            try data.appendConstructedNode(identifier: .sequence) { inner in
                inner.appendPrimitiveNode(identifier: .objectIdentifier) { $0 += contentType }
                guard let contents else { return }
                try inner.serialize(explicitlyTaggedWithTagNumber: 0, tagClass: .contextSpecific) {
                    try $0.serialize(ASN1OctetString(contentBytes: contents[...]))
                }
            }
            if !certificates.isEmpty {
                data.appendConstructedNode(identifier: .context(0)) { list in
                    for certificate in certificates { list.serializeRawBytes(certificate) }
                }
            }
            try data.appendConstructedNode(identifier: .set) { set in
                for signature in signatures { try set.serialize(signature) }
            }
        }
    }
}

extension DER.Serializer {
    fileprivate mutating func serialize(_ signature: SignedDataWriter.Signature) throws {
        let signer = signature.signer
        try appendConstructedNode(identifier: .sequence) { info in
            try info.serialize(1)
            info.serializeIssuerAndSerialNumber(signer.issuer, signer.serialNumber)
            try info.serializeAlgorithm(signer.digestAlgorithm, hasNull: false)
            // The SET OF under an implicit tag.
            if let attributes = signature.attributes { info.serializeRawBytes([0xA0] + attributes.dropFirst()) }
            try info.serializeAlgorithm(signer.signatureAlgorithm, hasNull: signer.hasNullParameters)
            try info.serialize(ASN1OctetString(contentBytes: signature.bytes[...]))
        }
    }

    /// Writes an `IssuerAndSerialNumber` (RFC 5652, section 10.2.4).
    ///
    /// - Parameters:
    ///   - issuer: the issuer's name in DER.
    ///   - serialNumber: the content octets of the number.
    ///   - identifier: the tag; that of a SEQUENCE unless another one is implicit.
    mutating func serializeIssuerAndSerialNumber(
        _ issuer: [UInt8],
        _ serialNumber: [UInt8],
        as identifier: ASN1Identifier = .sequence
    ) {
        appendConstructedNode(identifier: identifier) { name in
            name.serializeRawBytes(issuer)
            name.appendPrimitiveNode(identifier: .integer) { $0 += serialNumber }
        }
    }

    /// Writes an `AlgorithmIdentifier`: the type in dotted decimal notation, and the parameters NULL or none.
    mutating func serializeAlgorithm(_ type: String, hasNull: Bool) throws {
        try appendConstructedNode(identifier: .sequence) { algorithm in
            try algorithm.serialize(ASN1ObjectIdentifier(dotRepresentation: type[...]))
            if hasNull { algorithm.appendPrimitiveNode(identifier: .null) { _ in } }
        }
    }
}
