// SPDX-License-Identifier: Apache-2.0
#if Lint
import ArgumentParser
import CommandHelp
import KeychainLint

/// `keychain-lint explain`.
struct ExplainCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Explains a rule, or lists all.",
        discussion: CommandDiscussion.text(examples: [
            "keychain-lint explain": "Lists the rules.",
            "keychain-lint explain delete-on-read-error": "Explains one, with an example of both.",
        ])
    )

    @Argument(help: "The rule.")
    var rule: String?

    func run() throws {
        guard let rule else { return Self.list() }
        try Self.explain(rule)
    }

    static func list() {
        for rule in Rule.all { print("\(rule.id) (\(rule.severity.rawValue)): \(rule.title)") }
    }

    static func explain(_ rule: String) throws { print(try Rule.named(rule).page, terminator: "") }
}

extension Rule {
    /// The rule of a name that was typed.
    ///
    /// - Throws: An error that suggests what was meant.
    static func named(_ name: String) throws -> Rule {
        if let rule = all.first(where: { $0.id == name }) { return rule }
        let meant = NearWords.alternatives(NearWords.suggestions(for: name, among: all.map(\.id)))
        let advice = meant.map { "Did you mean \($0)?" } ?? "'keychain-lint explain' lists them."
        throw ValidationError("There is no rule '\(name)'. \(advice)")
    }
}
#endif
