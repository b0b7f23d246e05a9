// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import SecurityTool

/// Options as the getopt(3) of BSD reads them.
struct GetOptTests {
    /// Words, and what is made of them: options with values, `?x` for a wrong and `:x` for an unfinished one, operands.
    static let cases: [([String], String)] = [
        ([], "[]"),
        (["-w", "-a", "x"], "w a=x []"),
        (["-wa", "x", "y"], "w a=x [y]"),
        (["-wax", "y"], "w a=x [y]"),
        (["-a", "-w"], "a=-w []"),
        (["-a", ""], "a= []"),
        (["-a"], ":a []"),
        (["-wa"], "w :a []"),
        (["y", "-w"], "[y -w]"),
        (["-w", "--", "-w"], "w [-w]"),
        (["--"], "[]"),
        (["-", "-w"], "[- -w]"),
        (["", "-w"], "[ -w]"),
        (["--w"], "?- []"),
        (["-z", "-w"], "?z []"),
        (["-wz", "y"], "w ?z []"),
        (["-:"], "?: []"),
        (["-a:"], "a=: []"),
    ]

    @Test("words are taken apart", arguments: cases)
    func wordsAreTakenApart(_ words: [String], _ expected: String) {
        #expect(Self.describe(words, "wa:") == expected)
    }

    @Test("an option may take a pair of words")
    func pairs() {
        let syntax = OptionSyntax("wa:", pairs: "a")
        #expect(Self.describe(["-a", "x", "y", "-w", "z"], syntax) == "a=x w [z]")
        #expect(Self.describe(["-wax", "y", "z"], syntax) == "w a=x [z]")
        #expect(Self.describe(["-a", "x"], syntax) == ":a []")
        #expect(Self.describe(["-ax"], syntax) == ":a []")
    }

    @Test("leading operands come before the options")
    func leadingOperands() {
        let syntax = OptionSyntax("wa:", leadingOperands: 1)
        #expect(Self.describe(["-file", "-w", "more"], syntax) == "w [-file more]")
        #expect(Self.describe([], syntax) == "[]")
    }

    @Test("a colon in front makes getopt silent")
    func silence() {
        #expect(OptionSyntax(":wa:").isSilent)
        #expect(!OptionSyntax("wa:").isSilent)
        #expect(Self.describe(["-a", "x", "-w"], ":wa:") == "a=x w []")
    }

    private static func describe(_ words: [String], _ syntax: OptionSyntax) -> String {
        let parsed = ParsedOptions(words.map { Word($0) }, syntax)
        var parts = parsed.options.map { option in
            let takesValue = option.letter.asciiValue.flatMap(syntax.takesValue) ?? false
            return takesValue ? "\(option.letter)=\(option.value.text ?? "?")" : "\(option.letter)"
        }
        switch parsed.problem {
        case .illegal(let letter)?: parts.append("?\(Character(UnicodeScalar(letter)))")
        case .missingValue(let letter)?: parts.append(":\(Character(UnicodeScalar(letter)))")
        case nil: break
        }
        parts.append("[\(parsed.operands.map { $0.text ?? "?" }.joined(separator: " "))]")
        return parts.joined(separator: " ")
    }
}
