// SPDX-License-Identifier: Apache-2.0

import KeychainASN1
import SwiftASN1

/// The outermost part of a message.
enum MessageNode {
    /// The type of a `ContentInfo` (RFC 5652, section 3), and what it holds.
    static func contentInfo(_ bytes: [UInt8]) throws(ContainerError) -> (type: ASN1ObjectIdentifier, value: ASN1Node) {
        var message = try FieldReader(parse(bytes), "the message")
        let type = try message.objectIdentifier("type of the message")
        let value = try message.tagged(0, "content of the message")
        try message.end()
        return (type, value)
    }

    /// Parses a message in BER, unless it is made of so many values that these would take far more memory than it.
    static func parse(_ bytes: [UInt8]) throws(ContainerError) -> ASN1Node {
        guard hasReasonableCount(bytes) else { throw .unsupported("the message is made of too many values") }
        return try FieldReader.parse(bytes[...], .basic, "the message")
    }

    /// Contents in pieces have some kilobytes in each; certificates and signatures are made of thousands of values.
    private static func hasReasonableCount(_ bytes: [UInt8]) -> Bool {
        let most = 100_000 + bytes.count / 256
        var (position, count) = (0, 0)
        while position < bytes.count {
            count += 1
            guard count <= most else { return false }
            guard let header = header(bytes, at: position) else { return true }
            position = header.end
            // What is constructed is gone into; what is not is passed over. A length that does not hold ends the walk,
            // and the parser refuses it.
            guard !header.isConstructed else { continue }
            guard header.length <= bytes.count - position else { return true }
            position += header.length
        }
        return true
    }

    private static func header(_ bytes: [UInt8], at start: Int) -> (isConstructed: Bool, length: Int, end: Int)? {
        var position = start + 1
        if bytes[start] & 0x1F == 0x1F {
            while position < bytes.count, bytes[position] & 0x80 != 0 { position += 1 }
            position += 1
        }
        guard position < bytes.count else { return nil }
        let first = Int(bytes[position])
        position += 1
        let isConstructed = bytes[start] & 0x20 != 0
        guard first > 0x80 else { return (isConstructed, first == 0x80 ? 0 : first, position) }
        let width = first - 0x80
        guard width <= 8, width <= bytes.count - position else { return nil }
        let length = bytes[position..<position + width].reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
        return (isConstructed, Int(clamping: length), position + width)
    }
}
