// SPDX-License-Identifier: Apache-2.0
#if Lint
import ArgumentParser
import CommandHelp
import Foundation
import KeychainCore
import KeychainLint
import KeychainLintParsing

/// `keychain-lint`.
@main
struct KeychainLintCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keychain-lint",
        abstract: "Finds misuse of the keychain in source code.",
        discussion: CommandDiscussion.text(
            """
            Exits with 0 when nothing at or above --fail-on is found, with 1 when something is, with 2 when a path or the \
            configuration cannot be read.
            """,
            examples: [
                "keychain-lint Sources": "Lints a folder.",
                "keychain-lint explain delete-on-read-error": "Explains a rule.",
            ]
        ),
        version: ProductVersion.text,
        subcommands: [LintCommand.self, ExplainCommand.self, RulesCommand.self],
        defaultSubcommand: LintCommand.self
    )
}

extension Format: ExpressibleByArgument {}
extension Severity: ExpressibleByArgument {}
#else
import Foundation

@main
enum KeychainLintCommand {
    /// Fails, because a check that did not run must not look like one that passed.
    static func main() {
        let message =
            "keychain-lint was built without the trait Lint. Build it with: "
            + "swift build --traits Lint --product keychain-lint\n"
        FileHandle.standardError.write(Data(message.utf8))
        exit(2)
    }
}
#endif
