// SPDX-License-Identifier: Apache-2.0

import KeychainCertificates
import SwiftASN1

/// The signed attributes of a new signature (RFC 5652, section 5.3).
package struct SignedAttributes: Sendable {
    /// The type of the contents, as the content octets of its object identifier.
    package var contentType: [UInt8]

    /// The digest of the contents.
    package var digest: [UInt8]

    /// The time of signing as the text of a GeneralizedTime in whole seconds, with a Z; `nil` for none.
    package var signingTime: String?

    /// The ciphers that the signer supports, in dotted decimal notation (RFC 8551, section 2.5.2); empty for none.
    package var capabilities: [String] = []

    /// The certificate for which replies should be encrypted (RFC 8551, section 2.5.3); `nil` if unspecified.
    package var encryptionPreference: Certificate?

    /// The same in Microsoft's form; `nil` if unspecified.
    package var microsoftEncryptionPreference: Certificate?

    /// The identifier of a certificate.
    package struct Certificate: Sendable {
        /// The issuer's name in DER.
        package var issuer: [UInt8]
        /// The content octets of the serial number.
        package var serialNumber: [UInt8]

        /// A certificate by its issuer and number.
        package init(issuer: [UInt8], serialNumber: [UInt8]) {
            self.issuer = issuer
            self.serialNumber = serialNumber
        }
    }

    /// The two mandatory attributes.
    package init(contentType: [UInt8], digest: [UInt8]) {
        self.contentType = contentType
        self.digest = digest
    }

    /// The signed encoding: the SET OF in DER.
    ///
    /// - Throws: ``ContainerError`` for a cipher that is not an object identifier.
    package func encoding() throws(ContainerError) -> [UInt8] {
        var attributes = [
            try Self.attribute(.contentType) { value in
                value.appendPrimitiveNode(identifier: .objectIdentifier) { $0 += contentType }
            },
            try Self.attribute(.messageDigest) { try $0.serialize(ASN1OctetString(contentBytes: digest[...])) },
        ]
        if let signingTime { attributes.append(try Self.signingTime(signingTime)) }
        if !capabilities.isEmpty { attributes.append(try Self.capabilities(capabilities)) }
        if let preference = encryptionPreference {
            attributes.append(
                try Self.attribute(.encryptionPreference) {
                    $0.serializeIssuerAndSerialNumber(preference.issuer, preference.serialNumber, as: .context(0))
                }
            )
        }
        if let preference = microsoftEncryptionPreference {
            attributes.append(
                try Self.attribute(.microsoftEncryptionPreference) {
                    $0.serializeIssuerAndSerialNumber(preference.issuer, preference.serialNumber)
                }
            )
        }
        // The order of a SET OF in DER (X.690, section 11.6).
        let encoded = attributes.sorted { $0.lexicographicallyPrecedes($1) }.joined()
        return try DERDocument.bytes { serializer in
            serializer.appendConstructedNode(identifier: .set) { $0.serializeRawBytes(encoded) }
        }
    }

    /// From 1950 to 2049 a UTCTime (RFC 5652, section 11.3).
    private static func signingTime(_ text: String) throws(ContainerError) -> [UInt8] {
        let isShort = text >= "1950" && text < "2050"
        return try attribute(.signingTime) { value in
            value.appendPrimitiveNode(identifier: isShort ? .utcTime : .generalizedTime) {
                $0 += text.utf8.dropFirst(isShort ? 2 : 0)
            }
        }
    }

    private static func capabilities(_ ciphers: [String]) throws(ContainerError) -> [UInt8] {
        try attribute(.capabilities) { value in
            try value.appendConstructedNode(identifier: .sequence) { list in
                for cipher in ciphers { try list.serializeAlgorithm(cipher, hasNull: false) }
            }
        }
    }

    private static func attribute(
        _ type: ASN1ObjectIdentifier,
        _ value: (inout DER.Serializer) throws -> Void
    ) throws(ContainerError) -> [UInt8] {
        try DERDocument.bytes { serializer in
            try serializer.appendConstructedNode(identifier: .sequence) { attribute in
                try attribute.serialize(type)
                try attribute.appendConstructedNode(identifier: .set, value)
            }
        }
    }
}

extension ASN1ObjectIdentifier {
    fileprivate static let capabilities: ASN1ObjectIdentifier = [1, 2, 840, 113549, 1, 9, 15]
    fileprivate static let encryptionPreference: ASN1ObjectIdentifier = [1, 2, 840, 113549, 1, 9, 16, 2, 11]
    fileprivate static let microsoftEncryptionPreference: ASN1ObjectIdentifier = [1, 3, 6, 1, 4, 1, 311, 16, 4]
}
