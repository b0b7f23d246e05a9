// SPDX-License-Identifier: Apache-2.0
#if Lint
import ArgumentParser
import KeychainLint

/// `keychain-lint explain`.
struct ExplainCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "explain", abstract: "Explains a rule, or lists all.")

    @Argument(help: "The rule.")
    var rule: String?

    func run() throws {
        guard let rule else {
            for rule in Rule.all { print("\(rule.id) (\(rule.severity.rawValue)): \(rule.title)") }
            return
        }
        try Self.explain(rule)
    }

    static func explain(_ rule: String) throws {
        guard let found = Rule.all.first(where: { $0.id == rule }) else {
            throw ValidationError("There is no rule '\(rule)'.")
        }
        print(found.page, terminator: "")
    }
}
#endif
