// SPDX-License-Identifier: Apache-2.0

package import SwiftASN1

/// The maximum size of an encoding.
///
/// The smallest value takes two bytes, and many times that as a node of the parser. So the values are counted before
/// the encoding is parsed.
package struct EncodingLimit: Sendable {
    /// The most bytes.
    package let bytes: Int
    /// The most values: the whole, and all that are within it.
    package let values: Int

    package init(bytes: Int, values: Int) {
        self.bytes = bytes
        self.values = values
    }

    /// That of a certificate, and of what it contains, such as a name.
    ///
    /// A certificate for ten thousand host names stays below both.
    package static let certificate = EncodingLimit(bytes: 1 << 20, values: 16 << 10)
    /// That of a file, with thousands of certificates, which a program reads into its own memory.
    package static let file = EncodingLimit(bytes: .max, values: 1 << 20)

    /// Whether an encoding is no larger.
    package func allows(_ encoding: ArraySlice<UInt8>) -> Bool {
        guard encoding.count <= bytes else { return false }
        var walk = EncodingWalk(encoding)
        for _ in 0..<values {
            guard walk.skip() else { return true }
        }
        return !walk.skip()
    }
}

/// Thrown for an encoding beyond its limit.
package struct EncodingTooLarge: Error {}

extension EncodedValue {
    /// Parses exactly one value; values nest at most 50 levels, a limit of the parser.
    ///
    /// - Throws: ``EncodingTooLarge``, or an error of the parser.
    package static func parse(
        _ encoding: ArraySlice<UInt8>,
        _ rules: EncodingRules = .distinguished,
        within limit: EncodingLimit
    ) throws -> ASN1Node {
        guard limit.allows(encoding) else { throw EncodingTooLarge() }
        return switch rules {
        case .distinguished: try DER.parse(encoding)
        case .basic: try BER.parse(encoding)
        }
    }
}

/// Skips from the start of each value of an encoding to that of the next one, within or behind it.
private struct EncodingWalk {
    private var rest: ArraySlice<UInt8>

    init(_ encoding: ArraySlice<UInt8>) { rest = encoding }

    /// - Returns: Whether there was a value; not for a malformed one, where the parser stops as well.
    mutating func skip() -> Bool {
        guard let identifier = rest.popFirst() else { return false }
        if identifier & 0x1f == 0x1f {
            while let octet = rest.popFirst(), octet & 0x80 != 0 {}
        }
        guard let first = rest.popFirst() else { return false }
        let width = first & 0x80 == 0 ? 0 : Int(first & 0x7f)
        guard width <= MemoryLayout<UInt64>.size, rest.count >= width else { return false }
        let length = first & 0x80 == 0 ? UInt64(first) : rest.prefix(width).reduce(0) { $0 << 8 | UInt64($1) }
        rest = rest.dropFirst(width)
        let isConstructed = identifier & 0x20 != 0
        guard !isConstructed else { return true }
        guard length <= rest.count else { return false }
        rest = rest.dropFirst(Int(length))
        return true
    }
}
