// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// `keychainctl backup`: moves the keychain to another device.
struct BackupCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Writes and restores encrypted backups of the keychain.",
        discussion: """
            Items that may not leave their device stay behind; they are reported by level. The secret is asked for at the \
            terminal, or it is a line of standard input or of another descriptor.
            """,
        subcommands: [CreateBackupCommand.self, RestoreBackupCommand.self]
    )
}
