// SPDX-License-Identifier: Apache-2.0

import KeychainCertificates
import SwiftASN1

/// The outermost part of a message.
enum MessageNode {
    /// The type of a `ContentInfo` (RFC 5652, section 3), and its content.
    static func contentInfo(_ bytes: [UInt8]) throws(ContainerError) -> (type: ASN1ObjectIdentifier, value: ASN1Node) {
        var message = try ContainerFieldReader(parse(bytes), "the message")
        let type = try message.objectIdentifier("type of the message")
        let value = try message.tagged(0, "content of the message")
        try message.end()
        return (type, value)
    }

    /// Parses a message in BER, unless it has so many values that they would take far more memory than the message.
    static func parse(_ bytes: [UInt8]) throws(ContainerError) -> ASN1Node {
        // Segmented contents have some kilobytes in each segment; certificates and signatures have thousands of values.
        let limit = EncodingLimit(bytes: .max, values: 100_000 + bytes.count / 256)
        do {
            return try EncodedValue.parse(bytes[...], .basic, within: limit)
        } catch is EncodingTooLarge {
            throw .unsupported("the message is made of too many values")
        } catch {
            throw .malformed("the message is not one BER value")
        }
    }
}
