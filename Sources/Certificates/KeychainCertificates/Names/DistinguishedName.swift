// SPDX-License-Identifier: Apache-2.0

import KeychainCore
internal import SwiftASN1

/// X.501 names in the form that the keychain compares (Semantics, "Computed attributes").
package enum DistinguishedName {
    /// The value's bytes, if it is data that decodes as a Name (RFC 5280, section 4.1.2.4).
    package static func name(_ value: PropertyValue) -> SecretBytes? {
        guard case .data(let data) = value,
            let node = try? EncodedValue.parse(data.unprotectedCopy[...], within: .certificate),
            (try? Name(node, "a name")) != nil
        else { return nil }
        return data
    }

    /// The content of a name given as a DER SEQUENCE, with every PrintableString in upper case and its blanks
    /// collapsed.
    ///
    /// - Returns: The normalized bytes; the given ones if they are not such a SEQUENCE, or are larger than a
    ///   certificate.
    package static func normalizedContent(_ data: SecretBytes) -> SecretBytes {
        normalizedContent(data.unprotectedCopy).map { SecretBytes($0) } ?? data
    }

    /// The normalized content of a name; `nil` if it is not a DER SEQUENCE, or is larger than a certificate.
    package static func normalizedContent(_ name: [UInt8]) -> [UInt8]? {
        guard let parts = parts(name) else { return nil }
        var serializer = DER.Serializer()
        do {
            for part in parts { try normalize(part, into: &serializer) }
        } catch {
            return nil
        }
        return serializer.serializedBytes
    }

    /// A name from its content.
    static func sequence(ofContent content: [UInt8]) -> [UInt8] {
        var serializer = DER.Serializer()
        serializer.appendConstructedNode(identifier: .sequence) { $0.serializeRawBytes(content) }
        return serializer.serializedBytes
    }

    private static func parts(_ data: [UInt8]) -> ASN1NodeCollection? {
        guard let node = try? EncodedValue.parse(data[...], within: .certificate), node.identifier == .sequence,
            case .constructed(let parts) = node.content
        else { return nil }
        return parts
    }

    private static func normalize(_ node: ASN1Node, into serializer: inout DER.Serializer) throws {
        switch node.content {
        case .constructed(let parts):
            try serializer.appendConstructedNode(identifier: node.identifier) { inner in
                for part in parts { try normalize(part, into: &inner) }
            }
        case .primitive(let bytes):
            let content = node.identifier == .printableString ? folded(Array(bytes)) : Array(bytes)
            serializer.appendPrimitiveNode(identifier: node.identifier) { $0 += content }
        }
    }

    private static func folded(_ bytes: [UInt8]) -> [UInt8] {
        let words = bytes.split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
        return Array(words.joined(separator: [UInt8(ascii: " ")])).map {
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) ? $0 - 0x20 : $0
        }
    }
}
