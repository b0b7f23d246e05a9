// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import Testing

/// Text that a terminal shows and does not obey.
struct PrintableTextTests {
    @Test(
        "a message keeps its lines and letters, and nothing that moves a cursor",
        arguments: [
            ("plain", "plain"), ("a\tb\nc\n", "a\tb\nc\n"), ("Ärger 漢字 👍", "Ärger 漢字 👍"), ("", ""),
            ("\u{1B}]0;title\u{7}x", "?]0;title?x"), ("a\rb\u{8}\u{0}\u{7F}", "a?b???"), ("\u{9B}31m", "?31m"),
            ("\u{202E}txt.exe\u{200B}", "?txt.exe?"), ("one\u{2028}two\u{85}", "one?two?"),
        ]
    )
    func lines(_ text: String, _ shown: String) {
        #expect(text.printableLines == shown)
        #expect(text.printable == shown.replacing("\t", with: "?").replacing("\n", with: "?"))
    }

    @Test(
        "bytes that are no characters stay, but for control characters of other encodings",
        arguments: [
            ([0x61, 0xFF, 0xFE, 0x62], [0x61, 0xFF, 0xFE, 0x62]), ([0xE4, 0x1B, 0x5B], [0xE4, 0x3F, 0x5B]),
            ([0x9B, 0x33, 0x31, 0x6D], [0x3F, 0x33, 0x31, 0x6D]), ([0xC2, 0x9B, 0xC3], [0x3F, 0xC3]),
            ([0xF0, 0x9F, 0x91], [0xF0, 0x3F, 0x3F]),
        ] as [([UInt8], [UInt8])]
    )
    func bytes(_ text: [UInt8], _ shown: [UInt8]) { #expect(PrintableText.lines(text) == shown) }
}
