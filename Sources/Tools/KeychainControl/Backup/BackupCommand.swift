// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandHelp

/// `keychainctl backup`: moves the keychain to another device.
struct BackupCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Writes, checks, restores and schedules encrypted backups of the keychain.",
        discussion: CommandDiscussion.text(
            """
            Items that may not leave their device stay behind; they are reported by level. The secret is asked for at the \
            terminal, or it is a line of standard input or of another descriptor.
            """,
            examples: [
                "keychainctl backup create ~/keychain.backup":
                    "Asks for a secret, and writes a backup that only it opens.",
                "keychainctl backup restore ~/keychain.backup":
                    "Restores it where there is no keychain yet.",
                "keychainctl backup schedule --to /media/disk --keep 7":
                    "Has one made each day.",
            ]
        ),
        subcommands: [
            CreateBackupCommand.self, RestoreBackupCommand.self, VerifyBackupCommand.self, ListBackupCommand.self,
            ShowBackupCommand.self, ScheduleBackupCommand.self, BackupStatusCommand.self,
            RunScheduledBackupCommand.self,
        ]
    )
}
