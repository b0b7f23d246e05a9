// SPDX-License-Identifier: Apache-2.0
import Foundation
import KeychainLint
import KeychainLintParsing
import Testing

/// Correct code, and the same code with one defect each.
///
/// A line of the corpus that ends in `//~ rule => text` is a place for defects: the text stands for the line in a mutant
/// in which the rule has to report something. Without mutations the corpus is clean.
struct MutationTests {
    struct Mutant: Sendable, CustomTestStringConvertible {
        var file: String
        var rule: String
        var line: Int
        var text: String
        var testDescription: String { "\(file):\(line) \(rule)" }
    }

    static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Corpus")

    static let sources: [(name: String, lines: [String])] = {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.sorted().map { name in
            let text =
                (try? String(decoding: Data(contentsOf: folder.appendingPathComponent(name)), as: UTF8.self)) ?? ""
            return (name, text.components(separatedBy: "\n"))
        }
    }()

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

    private static func lint(_ text: String) -> Linter.Outcome {
        Linter().lint(["Sources/App/Example.swift": text])
    }

    private static func isFound(_ mutant: Mutant) -> Bool {
        lint(mutant.text).findings.contains { $0.rule == mutant.rule }
    }

    @Test(arguments: sources.map(\.name))
    func correctCodeIsClean(_ name: String) throws {
        let source = try #require(Self.sources.first { $0.name == name })
        let outcome = Self.lint(source.lines.map(Self.code).joined(separator: "\n"))
        #expect(outcome.findings.map { "\($0.line) \($0.rule)" } == [])
        #expect(outcome.skipped.isEmpty)
    }

    @Test(arguments: mutants)
    func aDefectIsFound(_ mutant: Mutant) { #expect(Self.isFound(mutant), "\(mutant.text)") }

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
