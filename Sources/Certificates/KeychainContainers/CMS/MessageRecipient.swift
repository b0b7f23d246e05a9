// SPDX-License-Identifier: Apache-2.0

import KeychainCertificates
import SwiftASN1

/// A recipient of a message: the content-encryption key, encrypted for the key of a certificate.
package struct MessageRecipient: Sendable, Hashable {
    /// The recipient's certificate.
    package let certificate: SignedData.Signer

    /// The encryption of the key.
    package let method: Method

    /// The key of the contents, encrypted.
    package let encryptedKey: [UInt8]

    /// The encryption of the content-encryption key.
    package enum Method: Sendable, Hashable {
        /// By the recipient's RSA key (RFC 5652, section 6.2.1): the algorithm in dotted decimal notation, and its
        /// parameters in DER.
        case transport(algorithm: String, parameters: [UInt8]?)
        /// By a key that the recipient's key on a curve and a new one of the sender agree on (RFC 5753).
        case agreement(KeyAgreement)
    }

    /// A `KeyTransRecipientInfo`.
    init(transport node: ASN1Node) throws(ContainerError) {
        var fields = try ContainerFieldReader(node, "a recipient")
        _ = try fields.integer("version of a recipient")
        let name = try fields.next("name of a recipient")
        if name.identifier == .sequence {
            certificate = try SignedData.Signer(issuerAndSerialNumber: name)
        } else {
            certificate = .subjectKeyIdentifier(Array(try name.octets(.context(0), "name of a recipient")))
        }
        let (algorithm, parameters) = try MessageSignature.algorithm(fields.next("key encryption algorithm"))
        method = .transport(algorithm: algorithm, parameters: parameters)
        encryptedKey = Array(try fields.octets("encrypted key"))
        try fields.end()
    }

    private init(_ certificate: SignedData.Signer, method: Method, encryptedKey: [UInt8]) {
        self.certificate = certificate
        self.method = method
        self.encryptedKey = encryptedKey
    }

    /// The recipients of a `KeyAgreeRecipientInfo`; empty if it does not contain the sender's key.
    static func all(agreement node: ASN1Node) throws(ContainerError) -> [MessageRecipient] {
        var fields = try ContainerFieldReader(node, as: .context(1), named: "a recipient")
        _ = try fields.integer("version of a recipient")
        let originator = try fields.tagged(0, "originator")
        var userKeyingMaterial: [UInt8]?
        if fields.upcomingIdentifier == .context(1) {
            let material = try fields.tagged(1, "keying material")
            userKeyingMaterial = Array(try material.octets(.octetString, "keying material"))
        }
        let (algorithm, wrap) = try MessageSignature.algorithm(fields.next("key encryption algorithm"))
        var keys = try ContainerFieldReader(fields.next("encrypted keys"), "the encrypted keys")
        try fields.end()
        // A sender's key in a certificate, and an algorithm without one for key wrapping, are not implemented.
        guard originator.identifier == .context(1), let wrap else { return [] }
        var key = try ContainerFieldReader(originator, as: .context(1), named: "the originator's key")
        _ = try key.next("algorithm of a key")
        guard let bits = try? ASN1BitString(berEncoded: key.next("key")), bits.paddingBits == 0 else {
            throw .malformed("the originator's key is not a bit string")
        }
        let agreement = KeyAgreement(
            algorithm: algorithm,
            wrapAlgorithm: wrap,
            senderKey: Array(bits.bytes),
            userKeyingMaterial: userKeyingMaterial
        )
        var recipients: [MessageRecipient] = []
        while !keys.isAtEnd {
            var one = try ContainerFieldReader(keys.next("encrypted key"), "an encrypted key")
            let name = try Self.name(one.next("name of a recipient"))
            recipients.append(
                MessageRecipient(
                    name,
                    method: .agreement(agreement),
                    encryptedKey: Array(try one.octets("encrypted key"))
                )
            )
            try one.end()
        }
        return recipients
    }

    private static func name(_ node: ASN1Node) throws(ContainerError) -> SignedData.Signer {
        guard node.identifier != .sequence else { return try SignedData.Signer(issuerAndSerialNumber: node) }
        var identifier = try ContainerFieldReader(node, as: .context(0), named: "the name of a recipient")
        return .subjectKeyIdentifier(Array(try identifier.octets("key identifier")))
    }
}

/// The agreement of a sender and a recipient on a key-encryption key (RFC 5753, section 3.1).
package struct KeyAgreement: Sendable, Hashable {
    /// The algorithm, with its key derivation function, in dotted decimal notation.
    package let algorithm: String

    /// The `AlgorithmIdentifier` in DER of the key wrapping.
    package let wrapAlgorithm: [UInt8]

    /// The sender's public key, 04 ‖ X ‖ Y.
    package let senderKey: [UInt8]

    /// The user keying material of the sender; `nil` if there is none.
    package let userKeyingMaterial: [UInt8]?

    /// An agreement.
    package init(algorithm: String, wrapAlgorithm: [UInt8], senderKey: [UInt8], userKeyingMaterial: [UInt8]?) {
        self.algorithm = algorithm
        self.wrapAlgorithm = wrapAlgorithm
        self.senderKey = senderKey
        self.userKeyingMaterial = userKeyingMaterial
    }

    /// An agreement by ECDH with the key derivation function of ANSI X9.63 with SHA-256, and AES-256 key wrapping.
    ///
    /// - Parameter senderKey: the sender's public key, 04 ‖ X ‖ Y.
    /// - Throws: ``ContainerError``, never.
    package init(senderKey: [UInt8]) throws(ContainerError) {
        self.init(
            algorithm: "1.3.132.1.11.1",
            wrapAlgorithm: try DERDocument.bytes { serializer in
                try serializer.serializeAlgorithm("2.16.840.1.101.3.4.1.45", hasNull: false)
            },
            senderKey: senderKey,
            userKeyingMaterial: nil
        )
    }

    /// The key wrapping algorithm, in dotted decimal notation.
    ///
    /// - Throws: ``ContainerError`` if it is not an `AlgorithmIdentifier`.
    package func wrap() throws(ContainerError) -> String {
        try MessageSignature.algorithm(MessageNode.parse(wrapAlgorithm)).type
    }

    /// The shared information for the key derivation: an `ECC-CMS-SharedInfo` (RFC 5753, section 7.2).
    ///
    /// - Parameter byteCount: the length of the wrapping key.
    /// - Returns: The encoding in DER.
    /// - Throws: ``ContainerError``, never.
    package func sharedInfo(byteCount: Int) throws(ContainerError) -> [UInt8] {
        let bits = withUnsafeBytes(of: UInt32(byteCount * 8).bigEndian) { Array($0) }
        return try DERDocument.bytes { serializer in
            try serializer.appendConstructedNode(identifier: .sequence) { info in
                info.serializeRawBytes(wrapAlgorithm)
                if let userKeyingMaterial {
                    try info.serialize(explicitlyTaggedWithTagNumber: 0, tagClass: .contextSpecific) {
                        try $0.serialize(ASN1OctetString(contentBytes: userKeyingMaterial[...]))
                    }
                }
                try info.serialize(explicitlyTaggedWithTagNumber: 2, tagClass: .contextSpecific) {
                    try $0.serialize(ASN1OctetString(contentBytes: bits[...]))
                }
            }
        }
    }
}
