// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandHelp

/// `keychainctl backup`: moves the keychain to another device.
struct BackupCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Writes and restores encrypted backups of the keychain.",
        discussion: CommandDiscussion.text(
            """
            Items that may not leave their device stay behind; they are reported by level. The secret is asked for at the \
            terminal, or it is a line of standard input or of another descriptor.
            """,
            examples: [
                "keychainctl backup create ~/keychain.backup":
                    "Asks for a secret, and writes a backup that only it opens.",
                "keychainctl backup restore ~/keychain.backup": "Restores it where there is no keychain yet.",
            ]
        ),
        subcommands: [CreateBackupCommand.self, RestoreBackupCommand.self]
    )
}
