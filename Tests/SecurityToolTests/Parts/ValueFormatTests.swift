// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainTestSupport
import Testing

@testable import SecurityTool

/// How values are printed.
struct ValueFormatTests {
    static let cases: [([UInt8], String, String)] = [
        (Array("secret".utf8), "secret", "\"secret\""),
        (Array("a\\b".utf8), "a\\b", "0x615C62  \"a\\134b\""),
        (Array("né".utf8), "6ec3a9", "0x6EC3A9  \"n\\303\\251\""),
        (Array("a\"b".utf8), "a\"b", "\"a\"b\""),
        ([0x00, 0xFF, 0x10], "00ff10", "0x00FF10 "),
        ([], "", ""),
        ([0x20, 0x7E], " ~", "\" ~\""),
        ([0x1F], "1f", "0x1F "),
        ([0x7F, 0x41], "7f41", "0x7F41  \"\\177A\""),
        (Array("\\".utf8), "\\", "0x5C "),
    ]

    @Test("rules W and B", arguments: cases)
    func rules(bytes: [UInt8], bare: String, quoted: String) {
        #expect(ValueFormat.bare(SecretBytes(bytes)).unprotectedCopy == Array(bare.utf8))
        #expect(ValueFormat.quoted(bytes) == ByteText(quoted))
    }

    @Test("a number is four bytes, the highest first")
    func numbers() {
        #expect(ValueFormat.quoted(443) == "0x000001BB ")
        #expect(ValueFormat.quoted(0) == "0x00000000 ")
        #expect(ValueFormat.quoted(0x6874_7073) == "\"htps\"")
        #expect(ValueFormat.quoted(42) == "0x0000002A  \"\\000\\000\\000*\"")
    }

    @Test("long values of any bytes", arguments: [1, 2, 3] as [UInt64])
    func anyBytes(_ seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let bytes = (0..<100_000).map { _ in UInt8.random(in: 0...255, using: &generator) }
        let digits = bytes.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
        #expect(ValueFormat.bare(SecretBytes(bytes)).unprotectedCopy == Array(digits.utf8))
        #expect(HexadecimalText.bytes(SecretBytes(Array(digits.utf8))) == SecretBytes(bytes))
        #expect(ValueFormat.quoted(bytes).bytes.starts(with: Array("0x\(digits.uppercased())  \"".utf8)))
    }
}
