// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandHelp
import KeychainCore
import KeychainEngine

/// `keychainctl backup list`: lists what is in a backup.
struct ListBackupCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists the items and keychain files of a backup, without their secrets.",
        discussion: CommandDiscussion.text(
            """
            A line for each item: class, service and account, access group, accessibility, dates. It needs the secret of \
            the backup, and checks all of it first, as 'verify' does.
            """,
            examples: [
                "keychainctl backup list ~/keychain.backup":
                    "Asks for its secret, and shows what is in it."
            ]
        )
    )

    @OptionGroup var backup: BackupFileOptions

    @Flag(help: "Write a JSON object.")
    var json = false

    func run() throws {
        let surroundings = Surroundings.current
        let secret = try backup.readSecret(surroundings, "list the backup")
        let contents = try surroundings.inspect(backup.path, secret)
        guard !json else {
            return surroundings.printLine(
                JSONText.indented([
                    "items": .array(contents.items.map(BackupJSON.item)),
                    "keychainFiles": .array(contents.files.map(BackupJSON.file)),
                ])
            )
        }
        for item in contents.items { surroundings.printLine(BackupText.line(item)) }
        for file in contents.files {
            surroundings.printLine("file  \(file.name.printable)  \(Count.text(file.contents.count, "byte"))")
        }
    }
}
