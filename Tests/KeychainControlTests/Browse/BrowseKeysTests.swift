// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import KeychainControl

/// The keys that the bytes of a terminal mean.
struct BrowseKeysTests {
    @Test(
        "keys of the usual terminals are known",
        arguments: [
            ("a", [BrowseKey.text("a")]), ("ü界", [.text("ü"), .text("界")]), ("\u{1B}[A", [.up]), ("\u{1B}OB", [.down]),
            ("\u{1B}[5~\u{1B}[6~", [.pageUp, .pageDown]),
            ("\u{1B}[H\u{1B}[1~\u{1B}[F\u{1B}[4~", [.home, .home, .end, .end]),
            ("\r", [.enter]), ("\n", [.enter]), ("\u{7F}\u{8}", [.backspace, .backspace]), ("\u{12}", [.control("r")]),
            ("\u{1B}[1;5C", []), ("\u{1B}x", []), ("\u{9B}", []), ("\u{202E}", []), ("\0", []),
            ("\u{1B}\u{1B}[A", [.escape, .up]),
        ]
    )
    func keys(_ text: String, _ expected: [BrowseKey]) {
        var keys = BrowseKeys()
        #expect(keys.keys(in: Array(text.utf8)) == expected)
        #expect(!keys.isIncomplete)
        // The same, byte by byte.
        #expect(text.utf8.flatMap { keys.keys(in: [$0]) } == expected)
    }

    @Test("an escape is a key of its own if nothing follows")
    func escape() {
        var keys = BrowseKeys()
        #expect(keys.keys(in: [0x1B]).isEmpty && keys.isIncomplete)
        #expect(keys.keysAtPause() == [.escape] && !keys.isIncomplete)
        #expect(keys.keys(in: Array("\u{1B}[".utf8)).isEmpty && keys.keysAtPause().isEmpty && !keys.isIncomplete)
    }

    @Test("bytes that are no UTF-8, and sequences without an end, are left out")
    func invalid() {
        var keys = BrowseKeys()
        #expect(keys.keys(in: [0xFF, 0xC3, 0x28, 0x61]) == [.text("("), .text("a")])
        #expect(keys.keys(in: Array("\u{1B}[".utf8) + Array(repeating: 0x31, count: 100)).isEmpty)
        #expect(!keys.isIncomplete)
    }
}
