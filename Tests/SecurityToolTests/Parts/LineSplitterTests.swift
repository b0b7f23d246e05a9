// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import Testing

@testable import SecurityTool

/// The words of a line of interactive mode.
struct LineSplitterTests {
    static let cases: [(String, [String])] = [
        ("", []),
        (" \t\r\u{B}\u{C} ", []),
        ("a  b\tc", ["a", "b", "c"]),
        ("'a b' \"c d\"", ["a b", "c d"]),
        ("'a''b'", ["a", "b"]),
        ("'a'b", ["a", "b"]),
        ("a'b'", ["a'b'"]),
        ("a\"b c\"", ["a\"b", "c\""]),
        ("''", [""]),
        ("\"\"x", ["", "x"]),
        ("'it\\'s'", ["it's"]),
        ("\"a\\\"b\\\\c\"", ["a\"b\\c"]),
        ("a\\ b", ["a b"]),
        ("\\'a b", ["'a", "b"]),
        ("\\\\", ["\\"]),
        ("'a b", ["a b"]),
        ("'a \\", ["a "]),
        ("a\\", ["a"]),
        ("$HOME `id` * # ~", ["$HOME", "`id`", "*", "#", "~"]),
        ("\u{A0}", ["\u{A0}"]),
    ]

    @Test("a line is split", arguments: cases)
    func lineIsSplit(_ line: String, _ words: [String]) {
        #expect(LineSplitter.words(of: SecretBytes(Array(line.utf8))).map(\.text) == words)
    }

    @Test("bytes pass unchanged")
    func bytesPass() {
        let words = LineSplitter.words(of: SecretBytes([0xFF, 0x00, 0x20, 0x80]))
        #expect(words.map(\.bytes.unprotectedCopy) == [[0xFF, 0x00], [0x80]])
    }
}
