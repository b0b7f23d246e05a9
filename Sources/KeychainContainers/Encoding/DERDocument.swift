// SPDX-License-Identifier: Apache-2.0

import SwiftASN1

/// Encodings in DER.
public enum DERDocument {
    /// The first value, without what stands behind it; all bytes where they are no value of a known length.
    public static func first(of bytes: [UInt8]) -> [UInt8] {
        guard bytes.count >= 2 else { return bytes }
        var (count, start) = (Int(bytes[1]), 2)
        if count >= 0x80 {
            let width = count - 0x80
            guard (1...4).contains(width), bytes.count >= 2 + width else { return bytes }
            count = bytes[2..<2 + width].reduce(0) { $0 << 8 | Int($1) }
            start += width
        }
        return count <= bytes.count - start ? Array(bytes[..<(start + count)]) : bytes
    }

    /// What a closure writes.
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
