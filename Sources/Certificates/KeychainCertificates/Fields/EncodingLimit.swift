// SPDX-License-Identifier: Apache-2.0

package import SwiftASN1

/// The maximum size of an encoding.
///
/// The smallest value takes two bytes, but many times that as a node of the parser. So the values are counted before
/// the encoding is parsed.
package struct EncodingLimit: Sendable {
    /// The maximum number of bytes.
    package let bytes: Int
    /// The maximum number of values: the outermost and all nested ones.
    package let values: Int

    package init(bytes: Int, values: Int) {
        self.bytes = bytes
        self.values = values
    }

    /// The limit for a certificate and its parts, such as a name.
    ///
    /// A certificate for ten thousand host names is below both limits.
    package static let certificate = EncodingLimit(bytes: 1 << 20, values: 16 << 10)
    /// The limit for a file with thousands of certificates, which a program reads into its own memory.
    package static let file = EncodingLimit(bytes: .max, values: 1 << 20)

    /// Whether an encoding is within the limit.
    package func allows(_ encoding: ArraySlice<UInt8>) -> Bool {
        guard encoding.count <= bytes else { return false }
        var walk = EncodingWalk(encoding)
        for _ in 0..<values {
            guard walk.skip() else { return true }
        }
        return !walk.skip()
    }
}

/// The error for an encoding that exceeds its limit.
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

/// Skips from the start of each value of an encoding to the start of the next, nested or following.
private struct EncodingWalk {
    private var rest: ArraySlice<UInt8>

    init(_ encoding: ArraySlice<UInt8>) { rest = encoding }

    /// - Returns: Whether there was a value; false for a malformed one, at which the parser stops as well.
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
