// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import SwiftASN1

/// X.501 names as the keychain compares them (specification, section 2.3).
enum DistinguishedName {
    /// The value's bytes, if it is data that decodes as a DER SEQUENCE.
    static func sequence(_ value: PropertyValue) -> SecretBytes? {
        guard case .data(let data) = value, parse(data) != nil else { return nil }
        return data
    }

    /// The content of a name given as a DER SEQUENCE, with every PrintableString in capitals and its blanks folded.
    ///
    /// - Returns: The bytes as they were given when they are not such a SEQUENCE.
    static func normalizedContent(_ data: SecretBytes) -> SecretBytes {
        guard let name = parse(data), case .constructed(let parts) = name.content else { return data }
        var serializer = DER.Serializer()
        do {
            for part in parts { try normalize(part, into: &serializer) }
        } catch {
            return data
        }
        return SecretBytes(serializer.serializedBytes)
    }

    private static func parse(_ data: SecretBytes) -> ASN1Node? {
        guard let node = try? DER.parse(data.unprotectedCopy), node.identifier == .sequence else { return nil }
        return node
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
        let words = bytes.split(separator: UInt8(ascii: " "))
        return Array(words.joined(separator: [UInt8(ascii: " ")])).map {
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) ? $0 - 0x20 : $0
        }
    }
}
