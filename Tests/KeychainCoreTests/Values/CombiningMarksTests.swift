// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import Testing

/// Text that would take Swift hours to compare is refused where it comes in; its size alone does not matter.
@Suite(.timeLimit(.minutes(1)))
struct CombiningMarksTests {
    /// A character with so many marks, which are not in canonical order.
    private static func marked(_ count: Int) -> String {
        String(String.UnicodeScalarView(["a"] + (0..<count).map { $0.isMultiple(of: 2) ? "\u{301}" : "\u{323}" }))
    }

    @Test("as many marks may follow each other as no language needs, and no more", arguments: [0, 1, 30, 1023, 1024])
    func few(_ count: Int) {
        #expect(!Self.marked(count).hasTooManyMarks)
        #expect(!String(repeating: Self.marked(count), count: 100).hasTooManyMarks)
    }

    @Test("more are too many, wherever they are", arguments: [1025, 100_000])
    func many(_ count: Int) {
        for text in [
            Self.marked(count), "ab" + Self.marked(count), Self.marked(count) + "z", "\u{65E5}" + Self.marked(count),
        ] {
            #expect(text.hasTooManyMarks)
        }
        #expect(String(repeating: "\u{591}", count: count).hasTooManyMarks, "without a character that they belong to")
    }

    @Test("long text without marks is text like any other")
    func long() {
        for character in ["a", "\u{e9}", "\u{65E5}", "\u{1F600}", "e\u{301}"] {
            #expect(!String(repeating: character, count: 100_000).hasTooManyMarks)
        }
    }

    @Test("JSON with such a string is refused, as a value and as a name")
    func json() {
        let text = Self.marked(100_000)
        for json in ["\"\(text)\"", "{\"\(text)\": 1}", "[\"\(text)\"]"] {
            #expect(throws: JSONParser.SyntaxError.self) { try JSONParser.parse(json.utf8) }
        }
        #expect(throws: Never.self) { try JSONParser.parse("\"\(Self.marked(128))\"".utf8) }
        #expect(throws: Never.self) { try JSONParser.parse("\"\(text)\"".utf8, limitsMarks: false) }
        #expect(throws: JSONParser.SyntaxError.self) {
            try JSONParser.parse("{\"\(text)\": 1}".utf8, limitsMarks: false)
        }
    }

    @Test("bytes become no text with too many")
    func coercion() throws {
        let column = try #require(ItemSchema.of(.genericPassword)[.accessGroup])
        let error = #expect(throws: KeychainError.self) {
            try column.coerce(.data(SecretBytes(Array(Self.marked(100_000).utf8))))
        }
        #expect(error?.status == .parameter)
    }

    @Test("the strings of attributes are compared by their bytes, which takes no longer for marks")
    func bytes() {
        let (composed, decomposed) = (AttributeValue.string("\u{e9}"), AttributeValue.string("e\u{301}"))
        #expect(composed != decomposed)
        #expect(Set([composed, decomposed, composed]).count == 2)
        let (left, right) = (AttributeValue.string(Self.marked(400_000)), AttributeValue.string(Self.marked(400_002)))
        #expect(left != right)
        #expect(Set([left, right, left]).count == 2)
    }
}
