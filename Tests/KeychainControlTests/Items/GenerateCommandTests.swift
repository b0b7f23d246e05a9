// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainTestSupport
import Testing

@testable import KeychainControl

/// `keychainctl generate`.
struct GenerateCommandTests {
    private let scene: ItemScene

    init() throws { scene = try ItemScene() }

    @Test("24 letters and digits, with the entropy beside them")
    func usual() throws {
        let outcome = try scene.run("generate")
        #expect(outcome.text.count == 24 && outcome.text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) })
        #expect(outcome.remarks == "142 bits of entropy.")
        #expect(try scene.run("generate").text != outcome.text)
    }

    @Test("a stored one is not shown")
    func stored() throws {
        let outcome = try scene.run("generate", "--set", "svc/ada", "--length", "30")
        #expect(outcome.bytes.isEmpty && outcome.output.isEmpty)
        #expect(outcome.remarks == "Stored svc/ada, 178 bits of entropy.")
        #expect(try scene.run("get", "svc/ada").text.count == 30)
    }

    @Test("a password that is there is replaced only when that is asked for")
    func replaces() throws {
        _ = try scene.run("set", "svc/ada", input: "mine")
        for name in ["svc/ada", "svc"] {
            let refused = try scene.run("generate", "--set", name)
            #expect(refused.status == 1 && refused.error.contains("'svc/ada' already; --replace"), "\(refused)")
            #expect(try scene.run("get", "svc/ada").text == "mine")
        }
        #expect(try scene.run("generate", "--replace", "--set", "svc/ada").remarks.hasPrefix("Replaced svc/ada"))
        #expect(try scene.run("get", "svc/ada").text != "mine")
    }

    @Test("characters are those of the alphabet, each of them")
    func alphabets() throws {
        let digits = try scene.run("generate", "--alphabet", "digits", "--length", "400").text
        #expect(Set(digits) == Set("0123456789"))
        #expect(Set(try scene.run("generate", "--alphabet", "xyz", "--length", "100").text) == Set("xyz"))
        #expect(try scene.run("generate", "--alphabet", "ab", "--length", "10").remarks == "10 bits of entropy.")
    }

    @Test("words are proquints, of 16 bits each")
    func words() throws {
        let outcome = try scene.run("generate", "--words", "4")
        let words = outcome.text.split(separator: "-")
        #expect(
            words.count == 4
                && words.allSatisfy { $0.wholeMatch(of: /([bdfghjklmnprstvz][aiou]){2}[bdfghjklmnprstvz]/) != nil }
        )
        #expect(outcome.remarks == "64 bits of entropy.")
    }

    @Test(
        "what makes no password is a usage error",
        arguments: [
            ["--length", "0"], ["--length", "5000"], ["--words", "0"], ["--alphabet", "a"], ["--alphabet", "aa"],
            ["--alphabet", "aü"], ["--alphabet", "a b"], ["--words", "2", "--length", "3"], ["--account", "x"],
            ["--replace"],
        ]
    )
    func usage(_ options: [String]) throws { #expect(try scene.run(["generate"] + options).status == 2) }

    @Test("all characters of an alphabet are equally likely: the generator's numbers are not folded")
    func distribution() throws {
        // With 2^64 modulo 10 folded, numbers near the end of the range would give the first digits.
        var generator = CountingGenerator()
        let alphabet = try #require(GeneratedPassword.Alphabet("digits"))
        let text = GeneratedPassword.characters(alphabet, 10_000).random(using: &generator)
        let counts = Dictionary(grouping: text.unprotectedCopy, by: \.self).mapValues(\.count)
        #expect(counts.count == 10 && counts.values.allSatisfy { (990...1_010).contains($0) }, "\(counts)")
    }

    /// Numbers that are spread evenly over their range.
    private struct CountingGenerator: RandomNumberGenerator {
        private var number: UInt64 = 0

        mutating func next() -> UInt64 {
            number &+= .max / 10_000
            return number
        }
    }
}
