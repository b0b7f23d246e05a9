// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// Writes DER (X.690).
enum DERWriter {
    /// An element of public content.
    static func element(_ tag: UInt8, _ parts: [UInt8]...) -> [UInt8] {
        header(tag, parts.reduce(0) { $0 + $1.count }) + parts.joined()
    }

    /// An element of secret content.
    static func secretElement(_ tag: UInt8, _ parts: SecretBytes...) -> SecretBytes {
        let count = parts.reduce(0) { $0 + $1.count }
        return SecretBytes(joining: [SecretBytes(header(tag, count))] + parts)
    }

    /// A nonnegative INTEGER, from its bytes.
    static func integer(_ bytes: some Collection<UInt8>) -> [UInt8] {
        let digits = bytes.drop { $0 == 0 }
        let padding: [UInt8] = (digits.first ?? 0x80) >= 0x80 ? [0] : []
        return header(DERTag.integer, padding.count + digits.count) + padding + digits
    }

    /// A BIT STRING of whole bytes.
    static func bitString(_ tag: UInt8 = DERTag.bitString, _ bytes: [UInt8]) -> [UInt8] {
        element(tag, [0], bytes)
    }

    private static func header(_ tag: UInt8, _ count: Int) -> [UInt8] {
        if count < 0x80 { return [tag, UInt8(count)] }
        let digits = withUnsafeBytes(of: count.bigEndian) { Array($0.drop { $0 == 0 }) }
        return [tag, 0x80 | UInt8(digits.count)] + digits
    }
}
