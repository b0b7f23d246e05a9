// SPDX-License-Identifier: Apache-2.0

import KeychainCore

extension [UInt8] {
    /// Bytes from hexadecimal digits; blanks between them are for the reader.
    init(hex text: String) {
        let digits = text.utf8.compactMap(Self.digit)
        precondition(digits.count.isMultiple(of: 2), "a byte has two digits")
        self = stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }

    /// By the codes of ASCII: characters take most of the time of large files.
    private static func digit(_ code: UInt8) -> UInt8? {
        switch code {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): code - UInt8(ascii: "0")
        case UInt8(ascii: "A")...UInt8(ascii: "F"): code - UInt8(ascii: "A") + 10
        case UInt8(ascii: "a")...UInt8(ascii: "f"): code - UInt8(ascii: "a") + 10
        default: nil
        }
    }

    /// Hexadecimal digits.
    var hex: String {
        flatMap { [$0 >> 4, $0 & 15] }.map { String($0, radix: 16) }.joined()
    }

    /// The bytes with one bit changed.
    func flipping(bit: Int) -> [UInt8] {
        var copy = self
        copy[bit / 8] ^= 1 << UInt8(bit % 8)
        return copy
    }
}
