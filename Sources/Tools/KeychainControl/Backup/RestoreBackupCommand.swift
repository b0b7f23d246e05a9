// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandHelp
import KeychainCore

/// `keychainctl backup restore`: creates the keychain from a backup.
struct RestoreBackupCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Restores a backup, if there is no keychain yet.",
        discussion: CommandDiscussion.text(
            "The new keychain has no passcode.",
            examples: [
                "keychainctl backup restore ~/keychain.backup":
                    "Asks for the secret of the backup, and makes a keychain of it."
            ]
        )
    )

    @Argument(help: "The file to read.", completion: .file())
    var file: String

    @OptionGroup var secret: BackupSecretOptions

    @OptionGroup var misplaced: MisplacedSecret

    func run() throws {
        let surroundings = Surroundings.current
        let maintenance = surroundings.keychain.maintenance
        let source = secret.source(surroundings)
        let secret = try source.read(.backupSecret, .applicationPassword, reason: "restore the keychain from a backup")
        let path = AbsolutePath.of(file)
        let report = try refusing { () throws(KeychainError) in
            try maintenance.restoreBackup(from: path, secret: secret)
        }
        surroundings.printLine(BackupText.restored(report, file))
    }
}
