// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import Testing

@testable import KeychainControl

/// Texts in the columns of a terminal.
struct TextWidthTests {
    @Test(
        "characters of East Asia take two columns, and marks none",
        arguments: [
            ("", 0), ("abc", 3), ("東京", 4), ("e\u{301}", 1), ("ü", 1), ("가", 2), ("…", 1), ("🔑", 2), ("\u{4DC0}", 2),
        ]
    )
    func width(_ text: String, _ width: Int) { #expect(TextWidth.of(text) == width) }

    @Test(
        "a text is cut at a whole character, and filled up",
        arguments: [
            ("abc", 5, "abc  "), ("abc", 3, "abc"), ("abcd", 3, "ab…"), ("東京都", 4, "東… "), ("東京都", 5, "東京…"),
            ("abc", 0, ""), ("abc", 1, "…"),
        ]
    )
    func fitted(_ text: String, _ width: Int, expected: String) {
        #expect(TextWidth.fitted(text, to: width) == expected)
    }

    @Test("columns of a list are aligned by the columns of the terminal")
    func table() {
        let rows = [["東京", "a"], ["b", "c"]]
        #expect(TextTable.text(rows, isAligned: true) == "東京  a\nb     c")
        #expect(TextTable.text(rows, isAligned: false) == "東京\ta\nb\tc")
    }

    @Test(
        "the end of what is typed is visible",
        arguments: [("abcdef", 3, "def"), ("東京都", 3, "都"), ("ab", 5, "ab"), ("ab", 0, "")]
    )
    func end(_ text: String, _ width: Int, expected: String) {
        #expect(TextWidth.end(of: text, in: width) == expected)
    }

    @Test(
        "a secret is one line in which a terminal obeys nothing",
        arguments: [
            ("hunter2", 20, "hunter2"), ("a\nb\t\u{1B}[2J", 40, "a\\nb\\t\\u{1B}[2J"), ("hunter2", 4, "hun…"),
            ("", 10, ""),
            ("東京都", 5, "東京…"), ("a\nb", 3, "a…"),
        ]
    )
    func secret(_ text: String, _ width: Int, expected: String) {
        let line = ShownSecret.line(SecretBytes(Array(text.utf8)), width: width)
        #expect(String(decoding: line.unprotectedCopy, as: UTF8.self) == expected)
    }

    @Test("a secret that is no text is not shown")
    func binary() {
        let line = ShownSecret.line(SecretBytes([0xFF, 0x00, 0x9B]), width: 40)
        #expect(String(decoding: line.unprotectedCopy, as: UTF8.self) == "(3 bytes that are no text)")
    }
}
