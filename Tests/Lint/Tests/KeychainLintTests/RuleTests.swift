// SPDX-License-Identifier: Apache-2.0
import KeychainLint
import KeychainLintParsing
import Testing

/// The examples on the page of each rule, and the others in the folder Examples.
struct RuleTests {
    @Test(arguments: RuleExample.all)
    func badCodeIsReportedAndGoodCodeIsNot(_ example: RuleExample) {
        var options = Linter.Options()
        options.rules = [example.rule]
        options.isPedantic = true
        options.formerGroups = example.formerGroups
        let outcome = Linter().lint(example.files, options: options)
        #expect(outcome.findings.isEmpty == (example.kind == .accepted), "\(example.files)")
        #expect(outcome.skipped.isEmpty)
    }

    @Test(arguments: Rule.all.map(\.id))
    func eachRuleHasThreeExamplesOfEachKind(_ id: String) {
        let examples = RuleExample.all.filter { $0.rule == id }
        #expect(examples.count { $0.kind == .flagged } >= 3)
        #expect(examples.count { $0.kind == .accepted } >= 3)
    }

    @Test func eachExampleIsOfARule() {
        #expect(Set(RuleExample.all.map(\.rule)) == Set(Rule.all.map(\.id)))
    }
}
