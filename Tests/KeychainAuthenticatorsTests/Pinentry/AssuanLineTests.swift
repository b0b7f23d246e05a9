// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import Testing

@testable import KeychainAuthenticators

struct AssuanLineTests {
    private static func line(_ text: String) -> AssuanLine? { Array(text.utf8).withUnsafeBytes { AssuanLine($0) } }

    private static func data(_ text: String) -> AssuanLine { .data(SecretBytes(Array(text.utf8))) }

    @Test(
        "lines of a server",
        arguments: [
            ("OK", .ok), ("OK Pleased to meet you", .ok), ("OK\r", .ok), ("OKAY", nil), ("ok", nil), ("O", nil),
            ("ERR 99", .error(99)), ("ERR 83886179 Operation cancelled", .error(83_886_179)), ("ERR", nil),
            ("ERR ", nil), ("ERR x", nil), ("ERR -1", nil), ("ERR 4294967295", .error(.max)), ("ERR 4294967296", nil),
            ("D", data("")), ("D ", data("")), ("D a b ", data("a b ")), ("D %25%0a%0D", data("%\n\r")),
            ("D %", nil), ("D %2", nil), ("D %2g", nil), ("D %%25", nil), ("Data", nil), ("D a\r", data("a")),
            ("S PIN_REPEATED", .status("PIN_REPEATED")), ("S A b c", .status("A")), ("S", .status("")),
            ("INQUIRE X", .inquiry), ("INQUIRES", nil), ("", .comment), ("#", .comment), ("# D x", .comment),
            ("END", nil), ("\u{0}", nil), (" OK", nil),
        ] as [(String, AssuanLine?)]
    )
    func lines(text: String, expected: AssuanLine?) { #expect(Self.line(text) == expected) }

    @Test("a line may have 1000 bytes")
    func longest() {
        #expect(Self.line("D " + String(repeating: "x", count: 998)) == Self.data(String(repeating: "x", count: 998)))
        #expect(Self.line("D " + String(repeating: "x", count: 999)) == nil)
        #expect(Self.line("# " + String(repeating: "x", count: 999)) == nil)
    }

    @Test(
        "a request is one line",
        arguments: [
            (nil, "X\n"), ("", "X \n"), ("a b", "X a b\n"), ("100%\r\n", "X 100%25%0D%0A\n"),
            ("\u{0}\u{7F}\u{1B}é", "X %00%7F%1Bé\n"),
        ] as [(String?, String)]
    )
    func requests(argument: String?, expected: String) {
        #expect(AssuanLine.request("X", argument) == Array(expected.utf8))
    }

    @Test("what does not fit is left out by whole characters", arguments: ["x", "%", "€", "👩‍👩‍👧"])
    func truncation(character: String) throws {
        let request = AssuanLine.request("SETDESC", String(repeating: character, count: 2000))
        let text = try #require(String(validating: request, as: UTF8.self))
        let unit = character == "%" ? "%25" : character
        #expect(request.count <= AssuanLine.longest + 1 && request.count > AssuanLine.longest - unit.utf8.count)
        #expect(text.dropFirst("SETDESC ".count).dropLast().replacing(unit, with: "").isEmpty)
    }

    @Test("what is requested and what is answered are escaped alike")
    func roundTrip() {
        let text = String(String.UnicodeScalarView((0..<256).compactMap { Unicode.Scalar($0) }))
        let request = AssuanLine.request("D", text)
        #expect(request.dropLast().withUnsafeBytes { AssuanLine($0) } == Self.data(text))
    }
}
