// SPDX-License-Identifier: Apache-2.0

import SwiftASN1

/// Encodings in DER.
enum DERDocument {
    /// The encoding that a closure writes.
    static func bytes(_ write: (inout DER.Serializer) throws -> Void) throws(ContainerError) -> [UInt8] {
        var serializer = DER.Serializer()
        do {
            try write(&serializer)
        } catch {
            throw .unsupported("a value cannot be encoded")
        }
        return serializer.serializedBytes
    }
}

extension DER.Serializer {
    /// Writes values that were parsed from BER with the lengths and strings of DER; sets keep their order.
    mutating func serializeDistinguished(_ node: ASN1Node) throws {
        guard case .constructed(let parts) = node.content else {
            serialize(node)
            return
        }
        guard node.identifier != .octetString else {
            try serialize(ASN1OctetString(berEncoded: node))
            return
        }
        try appendConstructedNode(identifier: node.identifier) { inner in
            for part in parts { try inner.serializeDistinguished(part) }
        }
    }

    /// Writes a `ContentInfo` (RFC 5652, section 3).
    mutating func serializeContentInfo(
        _ type: ASN1ObjectIdentifier,
        _ value: (inout DER.Serializer) throws -> Void
    ) throws {
        try appendConstructedNode(identifier: .sequence) { info in
            try info.serialize(type)
            try info.serialize(explicitlyTaggedWithTagNumber: 0, tagClass: .contextSpecific, value)
        }
    }
}
