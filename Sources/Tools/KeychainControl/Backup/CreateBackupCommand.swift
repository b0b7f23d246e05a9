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
            one descriptor, the passcode is the first. The login keychain's file and those of the search list are in the \
            backup, as they are: under their own passwords. The output names those that could not be read.
            """,
            examples: [
                "keychainctl backup create ~/keychain.backup":
                    "Asks for a secret for the backup, and writes it.",
                "keychainctl backup create --secret-fd 3 nightly.backup 3< secret":
                    "Reads the secret from a file.",
            ]
        )
    )

    @Argument(help: "The file to write.", completion: .file())
    var file: String

    @OptionGroup var passcode: PasscodeOptions

    @OptionGroup var secret: BackupSecretOptions

    @Flag(help: "Leave keychain files out.")
    var noKeychainFiles = false

    @Flag(help: "Write a JSON object.")
    var json = false

    @OptionGroup var misplaced: MisplacedSecret

    func run() throws {
        let surroundings = Surroundings.current
        try surroundings.checkIsOutsideOfKeychain(AbsolutePath.of(file))
        try surroundings.unlockForBackup(passcode, "back up the keychain")
        let secret = try secret.source(surroundings).read(
            .newBackupSecret,
            .newApplicationPassword,
            reason: "back up the keychain"
        )
        let collected = noKeychainFiles ? UserKeychainFiles.Collected() : surroundings.keychainFiles().collect()
        let report = try surroundings.writeBackup(to: AbsolutePath.of(file), .given(secret), collected.files)
        guard json else {
            return surroundings.printLine(BackupText.created(report, omitting: collected.omitted, at: file))
        }
        let omitted = collected.omitted.map(\.json)
        surroundings.printLine(
            JSONText.indented(
                BackupJSON.report(report).merging(["file": .string(file), "omittedFiles": .array(omitted)]) { $1 }
            )
        )
    }
}
