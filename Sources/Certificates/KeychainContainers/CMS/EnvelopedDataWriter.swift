// SPDX-License-Identifier: Apache-2.0

import KeychainCertificates
import KeychainCore
import SwiftASN1

/// Writes an `EnvelopedData` (RFC 5652, section 6) in DER, with AES-256 in CBC mode (RFC 3565) and a new key.
package struct EnvelopedDataWriter: Sendable {
    /// The type of the contents, as the content octets of its object identifier.
    private let contentType: [UInt8]
    private let start: [UInt8]
    private let encrypted: [UInt8]
    private var recipients: [[UInt8]] = []
    private var hasAgreement = false

    /// The key of the contents, 32 bytes, to be encrypted for each recipient.
    package let contentKey: SecretBytes

    /// Encrypts contents with a new key.
    ///
    /// - Parameters:
    ///   - contentType: the type of the contents, as the content octets of its object identifier.
    ///   - contents: the contents.
    /// - Throws: ``ContainerError`` if the library fails.
    package init(contentType: [UInt8], contents: [UInt8]) throws(ContainerError) {
        var key = RandomBytes.make(32)
        defer { key.wipe() }
        let start = RandomBytes.make(16)
        encrypted = try StackMemory.wiped { [key] () throws(ContainerError) in
            try contents.withUnsafeBufferPointer { (contents) throws(ContainerError) in
                try Cipher.aes(keyByteCount: 32)
                    .encrypt(UnsafeRawBufferPointer(contents), key: key, initializationVector: start)
            }
        }
        self.contentType = contentType
        self.start = start
        contentKey = SecretBytes(key)
    }

    /// Adds a recipient with an RSA key: the key of the contents encrypted with RSAES-PKCS1-v1_5 (RFC 3370, section
    /// 4.2.1).
    package mutating func add(
        transport name: SignedAttributes.Certificate,
        encryptedKey: [UInt8]
    ) throws(ContainerError) {
        recipients.append(
            try DERDocument.bytes { serializer in
                try serializer.appendConstructedNode(identifier: .sequence) { info in
                    try info.serialize(0)
                    info.serializeIssuerAndSerialNumber(name.issuer, name.serialNumber)
                    try info.serializeAlgorithm("1.2.840.113549.1.1.1", hasNull: true)
                    try info.serialize(ASN1OctetString(contentBytes: encryptedKey[...]))
                }
            }
        )
    }

    /// Adds a recipient with a key on a curve: the key of the contents wrapped with an agreed key.
    package mutating func add(
        _ agreement: KeyAgreement,
        _ name: SignedAttributes.Certificate,
        encryptedKey: [UInt8]
    ) throws(ContainerError) {
        hasAgreement = true
        recipients.append(
            try DERDocument.bytes { serializer in
                try serializer.appendConstructedNode(identifier: .context(1)) { info in
                    try info.serialize(3)
                    try info.appendConstructedNode(identifier: .context(0)) { originator in
                        try originator.appendConstructedNode(identifier: .context(1)) { key in
                            try key.serializeAlgorithm("1.2.840.10045.2.1", hasNull: false)
                            try key.serialize(ASN1BitString(bytes: agreement.senderKey[...]))
                        }
                    }
                    try info.appendConstructedNode(identifier: .sequence) { algorithm in
                        try algorithm.serialize(ASN1ObjectIdentifier(dotRepresentation: agreement.algorithm[...]))
                        algorithm.serializeRawBytes(agreement.wrapAlgorithm)
                    }
                    try info.appendConstructedNode(identifier: .sequence) { keys in
                        try keys.appendConstructedNode(identifier: .sequence) { key in
                            key.serializeIssuerAndSerialNumber(name.issuer, name.serialNumber)
                            try key.serialize(ASN1OctetString(contentBytes: encryptedKey[...]))
                        }
                    }
                }
            }
        )
    }

    /// The message.
    ///
    /// - Throws: ``ContainerError`` for a value that cannot be encoded.
    package func message() throws(ContainerError) -> [UInt8] {
        // The order of a SET OF in DER (X.690, section 11.6).
        let sorted = recipients.sorted { $0.lexicographicallyPrecedes($1) }
        return try DERDocument.bytes { serializer in
            try serializer.serializeContentInfo(.envelopedData) { info in
                try info.appendConstructedNode(identifier: .sequence) { data in
                    try data.serialize(hasAgreement ? 2 : 0)
                    data.appendConstructedNode(identifier: .set) { set in
                        for recipient in sorted { set.serializeRawBytes(recipient) }
                    }
                    try data.appendConstructedNode(identifier: .sequence) { content in
                        content.appendPrimitiveNode(identifier: .objectIdentifier) { $0 += contentType }
                        try content.appendConstructedNode(identifier: .sequence) { algorithm in
                            try algorithm.serialize([2, 16, 840, 1, 101, 3, 4, 1, 42] as ASN1ObjectIdentifier)
                            try algorithm.serialize(ASN1OctetString(contentBytes: start[...]))
                        }
                        content.appendPrimitiveNode(identifier: .context(0)) { $0 += encrypted }
                    }
                }
            }
        }
    }
}
