// SPDX-License-Identifier: Apache-2.0

import KeychainAuthenticators
import KeychainCore

/// Text for a stream: bytes, because names of files and keychains need not be UTF-8.
///
/// It never contains secrets; those are in ``SecretBuffer``.
struct ByteText: Sendable, Hashable, ExpressibleByStringInterpolation {
    var bytes: [UInt8]

    init(_ bytes: [UInt8] = []) { self.bytes = bytes }

    init(_ text: String) { bytes = Array(text.utf8) }

    init(stringLiteral text: String) { self.init(text) }

    init(stringInterpolation: Interpolation) { bytes = stringInterpolation.bytes }

    static func + (left: ByteText, right: ByteText) -> ByteText { ByteText(left.bytes + right.bytes) }

    static func += (left: inout ByteText, right: ByteText) { left.bytes += right.bytes }

    /// Appends a formatted attribute.
    mutating func append(_ value: SecretBytes) { bytes += value.unprotectedCopy }

    /// Interpolates strings, numbers, text and words.
    struct Interpolation: StringInterpolationProtocol {
        var bytes: [UInt8] = []

        init(literalCapacity: Int, interpolationCount: Int) { bytes.reserveCapacity(literalCapacity) }

        mutating func appendLiteral(_ literal: String) { bytes += literal.utf8 }

        mutating func appendInterpolation(_ text: String) { bytes += text.utf8 }

        mutating func appendInterpolation(_ number: some FixedWidthInteger) { bytes += String(number).utf8 }

        mutating func appendInterpolation(_ text: ByteText) { bytes += text.bytes }

        mutating func appendInterpolation(_ word: Word) { bytes += word.bytes.unprotectedCopy }
    }
}
