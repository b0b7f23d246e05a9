// SPDX-License-Identifier: Apache-2.0
import KeychainLint
import KeychainLintParsing
import Testing

/// The examples that stand beside each rule.
struct RuleTests {
    static let flagged = Rule.all.flatMap { rule in rule.flagged.indices.map { Case(rule: rule, index: $0) } }
    static let accepted = Rule.all.flatMap { rule in rule.accepted.indices.map { Case(rule: rule, index: $0) } }

    struct Case: CustomTestStringConvertible, Sendable {
        var rule: Rule
        var index: Int
        var testDescription: String { "\(rule.id) \(index + 1)" }
    }

    private func lint(_ example: Rule.Example, _ rule: Rule) -> Linter.Outcome {
        var options = Linter.Options()
        options.rules = [rule.id]
        options.isPedantic = true
        options.formerGroups = example.formerGroups
        return Linter().lint(example.files, options: options)
    }

    @Test(arguments: flagged)
    func badCodeIsReported(_ item: Case) {
        let outcome = lint(item.rule.flagged[item.index], item.rule)
        #expect(outcome.findings.count >= 1, "\(item.rule.flagged[item.index].files)")
        #expect(outcome.skipped.isEmpty)
    }

    @Test(arguments: accepted)
    func goodCodeIsNot(_ item: Case) {
        let outcome = lint(item.rule.accepted[item.index], item.rule)
        #expect(outcome.findings.isEmpty, "\(item.rule.accepted[item.index].files)")
        #expect(outcome.skipped.isEmpty)
    }

    @Test(arguments: Rule.all.map(\.id))
    func eachRuleHasThreeExamplesOfEachKind(_ id: String) throws {
        let rule = try #require(Rule.all.first { $0.id == id })
        #expect(rule.flagged.count >= 3)
        #expect(rule.accepted.count >= 3)
    }
}
