// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainTestSupport
import SecurityTranscripts
import Testing

@testable import SecurityTool

/// Bytes that are no text.
@Suite(.timeLimit(.minutes(30)))
struct ByteTests {
    @Test("any bytes come back by rule W", arguments: 1...8 as ClosedRange<UInt64>)
    func anyBytesComeBack(_ seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let user = try ToolUser()
        for round in 0..<6 {
            let count = Int.random(in: 0...(round.isMultiple(of: 2) ? 20 : 2000), using: &generator)
            let alphabet: ClosedRange<UInt8> = round < 2 ? 0x20...0x7E : round < 4 ? 1...255 : 0...255
            let secret = (0..<count).map { _ in UInt8.random(in: alphabet, using: &generator) }
            let viaWord = Self.add + [Array("-w".utf8), secret]
            let digits = secret.flatMap { Array(($0 < 16 ? "0" : "").utf8) + Array(String($0, radix: 16).utf8) }
            let viaDigits = Self.add + [Array("-X".utf8), digits]
            // A word of the command line cannot hold a zero byte.
            for arguments in secret.contains(0) ? [viaDigits] : [viaWord, viaDigits] {
                #expect(try user.run(arguments).status == 0)
                let found = try user.run(["find-generic-password", "-s", "svc", "-w"])
                #expect(found.status == 0)
                #expect(found.output == ValueFormat.bare(SecretBytes(secret)).unprotectedCopy + [UInt8(ascii: "\n")])
            }
        }
    }

    private static let add = ["add-generic-password", "-U", "-a", "alice", "-s", "svc"].map { Array($0.utf8) }

    @Test("an attribute that is not UTF-8 is refused", arguments: ["a", "s", "l", "j", "D"])
    func attributeIsRefused(_ letter: String) throws {
        let user = try ToolUser()
        let bad: [[UInt8]] = [Array("-\(letter)".utf8), [0x61, 0xFF, 0x62]]
        for name in ["add-generic-password", "find-generic-password", "delete-generic-password"] {
            let others = ["-a", "a", "-s", "s"].map { Array($0.utf8) }
            let result = try user.run([Array(name.utf8)] + others + bad)
            let function =
                name.hasPrefix("add") ? "SecKeychainItemCreateFromContent" : "SecKeychainSearchCreateFromAttributes"
            #expect(result.status == 206)
            #expect(result.output.isEmpty)
            #expect(
                result.errorText
                    == "security: \(function): One or more parameters passed to a function were not valid.\n"
            )
        }
        #expect(try user.run(["dump-keychain"]).output.isEmpty)
    }

    @Test("an attribute of an internet item that is not UTF-8 is refused", arguments: ["s", "d", "p", "r", "t"])
    func internetAttributeIsRefused(_ letter: String) throws {
        let user = try ToolUser()
        let words = ["add-internet-password", "-a", "a", "-s", "s", "-\(letter)"].map { Array($0.utf8) }
        let result = try user.run(words + [[0xC3, 0x28, 0xFF, 0xFE]])
        #expect(result.status == 206)
        #expect(try user.run(["dump-keychain"]).output.isEmpty)
    }

    @Test("names that are not UTF-8 are repeated byte by byte")
    func namesAreRepeated() throws {
        let user = try ToolUser()
        let unknown = try user.run([[0xFF, 0xFE]])
        #expect(unknown.errors == Array("security: unknown command \"".utf8) + [0xFF, 0xFE] + Array("\"\n".utf8))
    }

    @Test("a terminal obeys nothing of a name that a message repeats")
    func controlCharacters() throws {
        let user = try ToolUser()
        let unknown = try user.run(["\u{1B}]0;title\u{7}\u{9B}2J"])
        #expect(unknown.errorText == "security: unknown command \"?]0;title??2J\"\n")
        let none = try user.run(["show-keychain-info", "\u{1B}[31m.keychain"])
        #expect(none.errorText.contains("?[31m.keychain") && !none.errorText.contains("\u{1B}"))
        let echoed = try user.run(["-v", "delete-generic-password", "-s", "\u{1B}[31m"])
        #expect(echoed.errorText.contains("?[31m") && !echoed.errorText.contains("\u{1B}"))
    }

    @Test("an illegal option that is no ASCII")
    func illegalByte() throws {
        let result = try ToolUser().run([Array("find-generic-password".utf8), [UInt8(ascii: "-"), 0xFF]])
        #expect(result.status == 2)
        #expect(result.errors.starts(with: Array("security: illegal option -- ".utf8) + [0xFF, UInt8(ascii: "\n")]))
    }
}
