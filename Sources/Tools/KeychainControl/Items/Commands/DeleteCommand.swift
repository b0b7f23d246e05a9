// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandHelp
import CredentialHelpers
import KeychainCore

/// `keychainctl delete`.
struct DeleteCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "Deletes passwords, after it has shown which.",
        discussion: CommandDiscussion.text(
            """
            Each name has to mean one password: if one means none or several, nothing is deleted. Programs of other names \
            that use a password are not known here; its access group says who may.
            """,
            examples: [
                "keychainctl delete github.com/ada": "Shows the password's attributes, and asks.",
                "keychainctl delete --yes old.example.com/ada": "Asks nothing, for scripts.",
            ]
        )
    )

    @Argument(help: "The passwords: SERVICE/ACCOUNT, SERVICE, or references.", completion: ItemCompletion.name)
    var names: [String]

    @OptionGroup var filter: ItemFilter

    @Flag(name: .shortAndLong, help: "Do not ask.")
    var yes = false

    @Flag(name: [.long, .customShort("n")], help: "Show what would be deleted, and change nothing.")
    var dryRun = false

    func run() throws {
        let surroundings = Surroundings.current
        var entries: [CredentialStore.Entry] = []
        for name in names {
            let entry = try surroundings.item(try ItemName.choices(name, filter), named: name)
            if !entries.contains(where: { $0.identifier == entry.identifier }) { entries.append(entry) }
        }
        let lines = entries.map { "    \($0.distinction)" }.joined(separator: "\n")
        guard !dryRun else { return surroundings.printLine("Would delete:\n\(lines)") }
        if !yes {
            let question = "This deletes \(Count.text(entries.count, "password")):\n\(lines)"
            guard let isConfirmed = surroundings.confirm(question) else {
                throw Refusal("there is no terminal to ask; --yes deletes without a question", .locked)
            }
            guard isConfirmed else { throw Refusal("nothing was deleted") }
        }
        for entry in entries {
            try surroundings.withItems { (store) throws(KeychainError) in try store.delete(entry) }
        }
        surroundings.remark("Deleted \(Count.text(entries.count, "password")).")
    }
}
