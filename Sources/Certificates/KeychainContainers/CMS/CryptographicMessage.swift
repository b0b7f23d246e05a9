// SPDX-License-Identifier: Apache-2.0

import SwiftASN1

/// A message (RFC 5652, section 3) of a supported kind.
package enum CryptographicMessage: Sendable, Hashable {
    /// Signed contents.
    case signed(SignedData)
    /// Contents that recipients can decrypt.
    case enveloped(EnvelopedData)

    /// Parses a message in DER or BER, without trailing bytes.
    ///
    /// - Throws: ``ContainerError``: `.unsupported` for another kind.
    package init(_ bytes: [UInt8]) throws(ContainerError) {
        let (type, value) = try MessageNode.contentInfo(bytes)
        switch type {
        case .signedData: self = .signed(try SignedData(value))
        case .envelopedData: self = .enveloped(try EnvelopedData(value))
        default: throw .unsupported("messages of the type \(type) are not implemented")
        }
    }
}

/// Types of contents, as the content octets of their object identifiers.
package enum ContentType {
    /// Plain data.
    package static let data: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x01]
    /// Signed data.
    package static let signedData: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x02]
    /// The timestamp information of a timestamp authority (RFC 3161, section 2.4.2).
    package static let timestamp: [UInt8] = [
        0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x09, 0x10, 0x01, 0x04,
    ]
}

extension ASN1ObjectIdentifier {
    static let envelopedData: ASN1ObjectIdentifier = [1, 2, 840, 113549, 1, 7, 3]
}
