// SPDX-License-Identifier: Apache-2.0
import Foundation
import KeychainLint
import KeychainLintParsing
import Testing

/// Correct code, and the same code with one defect each.
///
/// A line of the corpus that ends in `//~ rule => text` is a place for defects: the text stands for the line in a
/// mutant in which the rule has to report something, and did not before. Without mutations the corpus is clean. A line
/// `=== PATH` begins a file; without such a line the text is one file of Swift.
struct MutationTests {
    struct Mutant: Sendable, CustomTestStringConvertible {
        var file: String
        var rule: String
        var line: Int
        var text: String
        var testDescription: String { "\(file):\(line) \(rule)" }
    }

    static let sources = ExampleFile.texts(in: "Corpus").map {
        (name: $0.name, lines: $0.text.components(separatedBy: "\n"))
    }

    private static func code(_ line: String) -> String {
        line.range(of: " //~ ").map { String(line[..<$0.lowerBound]) } ?? line
    }

    static let mutants: [Mutant] = sources.flatMap { name, lines in
        lines.enumerated().flatMap { index, line -> [Mutant] in
            guard let mark = line.range(of: " //~ ") else { return [] }
            return line[mark.upperBound...].components(separatedBy: " ;; ").map { item in
                let parts = item.components(separatedBy: "=>")
                var copy = lines.map(code)
                copy[index] = parts.dropFirst().joined(separator: "=>")
                let rule = parts[0].trimmingCharacters(in: .whitespaces)
                return Mutant(file: name, rule: rule, line: index + 1, text: copy.joined(separator: "\n"))
            }
        }
    }

    private static func lint(
        _ text: String,
        former: [String: String]? = nil,
        isPedantic: Bool = false
    ) -> Linter.Outcome {
        var options = Linter.Options()
        options.isPedantic = isPedantic
        options.formerGroups = former?.filter { $0.key.hasSuffix(".entitlements") }.mapValues {
            Linter.accessGroups(ofEntitlements: $0)
        }
        return Linter().lint(ExampleFile.files(text), options: options)
    }

    private static func original(_ name: String) -> String {
        sources.first { $0.name == name }?.lines.map(code).joined(separator: "\n") ?? ""
    }

    /// The rules that report something in the corpus as it is, notes that are off by default among them.
    private static let before: [String: Set<String>] = Dictionary(
        uniqueKeysWithValues: sources.map { name, _ in
            (name, Set(lint(original(name), isPedantic: true).findings.map(\.rule)))
        }
    )

    private static func isFound(_ mutant: Mutant) -> Bool {
        guard before[mutant.file]?.contains(mutant.rule) == false else { return false }
        let former = ExampleFile.files(original(mutant.file))
        return lint(mutant.text, former: former, isPedantic: true).findings.contains { $0.rule == mutant.rule }
    }

    @Test(arguments: sources.map(\.name))
    func correctCodeIsClean(_ name: String) throws {
        let outcome = Self.lint(Self.original(name))
        #expect(outcome.findings.map { "\($0.line) \($0.rule)" } == [])
        #expect(outcome.skipped.isEmpty)
    }

    @Test(arguments: mutants)
    func aDefectIsFound(_ mutant: Mutant) { #expect(Self.isFound(mutant), "\(mutant.text)") }

    @Test func eachRuleHasADefect() {
        #expect(Set(Rule.all.map(\.id)).subtracting(Self.mutants.map(\.rule)) == [])
        #expect(Set(Self.mutants.map(\.rule)).subtracting(Rule.all.map(\.id)) == [])
    }

    @Test func theTableIsUpToDate() throws {
        var text = "# Recall on the mutation corpus\n\n"
        text += "Correct code in \(Self.sources.count) styles, and the same code with one defect each; "
        text += "`Scripts/test-lint --write` makes the table again.\n\n| rule | seeded | found |\n| --- | --- | --- |\n"
        let byRule = Dictionary(grouping: Self.mutants, by: \.rule)
        for (rule, mutants) in byRule.sorted(by: { $0.key < $1.key }) {
            text += "| `\(rule)` | \(mutants.count) | \(mutants.count(where: Self.isFound)) |\n"
        }
        text += "| all | \(Self.mutants.count) | \(Self.mutants.count(where: Self.isFound)) |\n"
        if ProcessInfo.processInfo.environment["KEYCHAIN_LINT_PRINT"] != nil { print(text) }
        try DocumentationTests.compare("Mutations.md", text)
    }
}
