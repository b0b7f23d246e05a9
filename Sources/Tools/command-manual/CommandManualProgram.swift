// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandManual
import Foundation
import KeychainControl
import KeychainCore
import SecurityTool

/// Writes the manual pages of the commands, or what a shell completes of `security`.
@main
struct CommandManualProgram: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "command-manual",
        abstract: "Writes the manual pages of the commands, and the completion scripts of security."
    )

    @Option(help: "The day on the manual pages, such as 2026-01-31.")
    var date: String?

    @Option(help: "The folder of the pages.")
    var outputDirectory: String?

    @Option(help: "What 'keychaind --experimental-dump-help' prints, in a file.")
    var daemon: String?

    @Option(help: "What 'keychain-lint --experimental-dump-help' prints, in a file.")
    var linter: String?

    @Option(help: "The shell for a completion script of security: bash, zsh or fish.")
    var completion: String?

    func run() throws {
        if let completion {
            guard let shell = ShellCompletion(rawValue: completion) else {
                throw ValidationError("there is no completion for \(completion)")
            }
            print(shell.script, terminator: "")
        } else if let date, let outputDirectory {
            for (name, page) in try pages(date) {
                try Data(page.utf8).write(to: URL(fileURLWithPath: "\(outputDirectory)/\(name)"))
            }
        } else {
            throw ValidationError("either --date and --output-directory, or --completion is needed")
        }
    }

    private func pages(_ date: String) throws -> [String: String] {
        var pages = ["security.1": ManualPage.text(date: date, version: ProductVersion.number)]
        let own = Data(KeychainControl._dumpHelp().utf8)
        try add(own, .keychainctl(groups: KeychainControl.groups))
        if let daemon { try add(Data(contentsOf: URL(fileURLWithPath: daemon)), .keychaind) }
        if let linter { try add(Data(contentsOf: URL(fileURLWithPath: linter)), .linter) }
        return pages

        func add(_ description: Data, _ facts: PageFacts) throws {
            let command = try CommandDescription(json: description)
            pages.merge(CommandPages(command, facts, date: date, version: ProductVersion.number).pages) { $1 }
        }
    }
}
