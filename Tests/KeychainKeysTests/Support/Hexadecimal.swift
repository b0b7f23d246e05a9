// SPDX-License-Identifier: Apache-2.0

import KeychainCore

extension [UInt8] {
    /// Bytes from hexadecimal digits; blanks between them are for the reader.
    init(hex text: String) {
        let digits = text.compactMap(\.hexDigitValue)
        precondition(digits.count.isMultiple(of: 2), "a byte has two digits")
        self = stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
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
