// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KeychainCore
import SecurityTool

/// Writes the manual page of `security`, or what a shell completes, to standard output.
@main
struct SecurityManual: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "security-manual",
        abstract: "Writes the manual page and the completion scripts of the command security."
    )

    @Option(help: "The day on the manual page, such as 2026-01-31.")
    var date: String?

    @Option(help: "The shell for a completion script: bash, zsh or fish.")
    var completion: String?

    func run() throws {
        if let completion {
            guard let shell = ShellCompletion(rawValue: completion) else {
                throw ValidationError("there is no completion for \(completion)")
            }
            print(shell.script, terminator: "")
        } else if let date {
            print(ManualPage.text(date: date, version: ProductVersion.number), terminator: "")
        } else {
            throw ValidationError("one of --date and --completion is needed")
        }
    }
}
