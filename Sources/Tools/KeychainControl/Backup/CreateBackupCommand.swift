// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandHelp
import KeychainCore

/// `keychainctl backup create`: writes a backup.
struct CreateBackupCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create",
        abstract: "Writes a backup, encrypted under its own secret.",
        discussion: CommandDiscussion.text(
            """
            With a passcode set, that is asked for first: a locked keychain cannot be backed up. When both are lines of \
            one descriptor, the passcode is the first.
            """,
            examples: [
                "keychainctl backup create ~/keychain.backup": "Asks for a secret for the backup, and writes it.",
                "keychainctl backup create --secret-fd 3 nightly.backup 3< secret": "Reads the secret from a file.",
            ]
        )
    )

    @Argument(help: "The file to write.", completion: .file())
    var file: String

    @OptionGroup var passcode: PasscodeOptions

    @OptionGroup var secret: BackupSecretOptions

    @OptionGroup var misplaced: MisplacedSecret

    func run() throws {
        let surroundings = Surroundings.current
        let keychain = surroundings.keychain
        let status = try refusing { () throws(KeychainError) in try keychain.device.status() }
        if status.hasPasscode {
            let source = passcode.source(surroundings)
            let passcode = try source.read(.passcode, .passcode, reason: "back up the keychain")
            try refusing { () throws(KeychainError) in try keychain.device.unlock(passcode: passcode) }
        }
        let secret = try secret.source(surroundings).read(
            .newBackupSecret,
            .newApplicationPassword,
            reason: "back up the keychain"
        )
        let path = AbsolutePath.of(file)
        let report = try refusing { () throws(KeychainError) in
            try keychain.maintenance.createBackup(at: path, secret: secret)
        }
        surroundings.printLine(BackupText.created(report, file))
    }
}
