// SPDX-License-Identifier: Apache-2.0

extension Sequence<UInt8> {
    /// Two hexadecimal digits a byte, in lower case.
    package var hexadecimal: String {
        reduce(into: "") { text, byte in
            if byte < 0x10 { text += "0" }
            text += String(byte, radix: 16)
        }
    }
}

extension [UInt8] {
    /// The bytes of a text of two hexadecimal digits each, in any case; `nil` for any other text.
    package init?(hexadecimal text: String) {
        let digits = text.utf8.compactMap { Character(UnicodeScalar($0)).hexDigitValue }
        guard digits.count == text.utf8.count, digits.count.isMultiple(of: 2) else { return nil }
        self = stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }
}
