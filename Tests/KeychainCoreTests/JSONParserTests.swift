// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import Testing

/// The strict reader of JSON: what it takes, it reads as Foundation does.
struct JSONParserTests {
    @Test(
        "values are read as Foundation reads them",
        arguments: [
            "null", "true", " false ", "0", "-0", "1", "-12", "1.5", "1e3", "-1.25E-2", "9223372036854775807",
            "9223372036854775808", #""""#, #""a""#, #""\"\\\/\b\f\n\r\t""#, #""\u00e9\uD83D\uDE00\u0000""#, #""é😀""#,
            "[]",
            "[ ]", "[1, [2], {}]", "{}", #"{"a": 1, "b": [true, null], "": {"é": "x"}}"#, "\t[\n1\r\n]",
        ]
    )
    func values(_ text: String) throws {
        let value = try JSONParser.parse(text.utf8)
        #expect(try value == JSONDecoder().decode(JSONValue.self, from: Data(text.utf8)))
    }

    @Test(
        "anything else is refused",
        arguments: [
            "", " ", "nul", "tru", "True", "01", "1.", ".5", "+1", "1e", "1e999", "--1", "0x1", "NaN", #"""#, #""a"#,
            #""\x""#,
            #""\u12""#, #""\u12G4""#, #""\uD800""#, #""\uD800\u0041""#, #""\uDC00""#, "\"\n\"", "\"\u{1}\"", "[", "[1",
            "[1,]", "[,1]",
            "[1 2]", "{", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{a:1}", "{1:1}", #"{"a":1,"a":2}"#,
            #"{"a":1,"\u0061":2}"#, "1 2",
            "[]]", "'a'", "// x\n1", "\u{FEFF}1",
        ]
    )
    func refused(_ text: String) {
        #expect(throws: JSONParser.SyntaxError.self) { try JSONParser.parse(text.utf8) }
    }

    @Test(
        "what is not UTF-8 is refused",
        arguments: [[0x22, 0xFF, 0x22], [0x22, 0xC0, 0x80, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22]]
    )
    func encoding(_ bytes: [UInt8]) {
        #expect(throws: JSONParser.SyntaxError.self) { try JSONParser.parse(bytes) }
    }

    @Test("nesting is bounded")
    func nesting() throws {
        let deepest = JSONParser.deepestNesting
        _ = try JSONParser.parse((String(repeating: "[", count: deepest) + String(repeating: "]", count: deepest)).utf8)
        #expect(throws: JSONParser.SyntaxError.self) {
            try JSONParser.parse(String(repeating: "[", count: 1_000_000).utf8)
        }
    }
}
