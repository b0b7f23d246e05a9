// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandHelp
import KeychainCore
import KeychainEngine

/// `keychainctl backup verify`: opens everything in a backup.
struct VerifyBackupCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Opens every item and keychain file of a backup, in memory.",
        discussion: CommandDiscussion.text(
            """
            Nothing is written. Exit status 0 means that it can be restored; 1 that the secret is wrong, or the backup is \
            damaged, and the message says which.
            """,
            examples: [
                "keychainctl backup verify ~/keychain.backup":
                    "Asks for its secret, and says whether it is sound."
            ]
        )
    )

    @OptionGroup var backup: BackupFileOptions

    @Flag(help: "Write a JSON object.")
    var json = false

    func run() throws {
        let surroundings = Surroundings.current
        let secret = try backup.readSecret(surroundings, "verify the backup")
        let report = try surroundings.inspect(backup.path, secret).report
        surroundings.printLine(
            json
                ? BackupJSON.text(BackupJSON.report(report).merging(["sound": .boolean(true)]) { $1 })
                : BackupText.verified(report, backup.file)
        )
    }
}
