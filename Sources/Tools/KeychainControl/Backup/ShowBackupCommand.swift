// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandHelp

/// `keychainctl backup show`: shows what a backup says without its secret.
struct ShowBackupCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Shows what a backup says without its secret.",
        discussion: CommandDiscussion.text(
            """
            The format, the date of the file, and how many items it has and lacks. Only the secret proves that this is \
            so ('verify'), and shows names ('list'). A backup has no name of a host.
            """,
            examples: [
                "keychainctl backup show --json ~/keychain.backup":
                    "Writes what is known as a JSON object."
            ]
        )
    )

    @Argument(help: "The backup.", completion: .file())
    var file: String

    @Flag(help: "Write a JSON object.")
    var json = false

    func run() throws {
        let surroundings = Surroundings.current
        let shown = try BackupFacts(of: AbsolutePath.of(file))
        surroundings.printLine(json ? JSONText.indented(shown.json) : shown.text)
    }
}
