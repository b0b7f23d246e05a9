// SPDX-License-Identifier: Apache-2.0

/// ASN.1-encoded values, of which only identifier and length are examined.
package enum EncodedValue {
    /// The first value, without the bytes that follow it; all bytes if they are not a value of known length.
    package static func first(of bytes: [UInt8]) -> [UInt8] {
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
}
