// SPDX-License-Identifier: Apache-2.0
#if Lint
import ArgumentParser
import CommandHelp
import KeychainLint

/// `keychain-lint rules`.
struct RulesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rules",
        abstract: "Lists the rules.",
        discussion: CommandDiscussion.text(examples: [
            "keychain-lint rules": "Lists the rules with their severities.",
            "keychain-lint rules --format json": "Lists what is known of each, for programs.",
        ])
    )

    @Option(help: "How the rules are written: human or json.")
    var format: ListFormat = .human

    enum ListFormat: String, ExpressibleByArgument, CaseIterable { case human, json }

    func run() {
        switch format {
        case .human: ExplainCommand.list()
        case .json: print(Rule.listAsJSON, terminator: "")
        }
    }
}
#endif
