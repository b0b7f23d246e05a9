// SPDX-License-Identifier: Apache-2.0

extension [UInt8] {
    /// Bytes from hexadecimal digits.
    init(hex text: String) {
        let digits = text.compactMap(\.hexDigitValue)
        self = stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }

    /// Hexadecimal digits.
    var hex: String { flatMap { [$0 >> 4, $0 & 15] }.map { String($0, radix: 16) }.joined() }
}
