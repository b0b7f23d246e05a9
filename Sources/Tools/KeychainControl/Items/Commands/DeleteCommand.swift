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
            that use a password are not known here; its access group says who may. A synchronizable one is deleted on the \
            user's other devices, too.
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
            if !entries.contains(where: entry.isSame) { entries.append(entry) }
        }
        let passwords = Count.text(entries.count, "password")
        let lines = entries.map { "    \($0.distinction)" }.joined(separator: "\n")
        let touched = Count.text(try count(of: entries, surroundings), "item")
        guard !dryRun else {
            return surroundings.printLine("Would delete \(passwords), touches \(touched):\n\(lines)")
        }
        if !yes {
            let question = "This deletes \(passwords), touches \(touched):\n\(lines)"
            guard let isConfirmed = surroundings.confirm(question) else {
                throw Refusal("there is no terminal to ask; --yes deletes without a question")
            }
            guard isConfirmed else { throw Refusal("nothing was deleted") }
        }
        try delete(entries, surroundings)
        surroundings.remark("Deleted \(passwords).")
    }

    /// How many items are removed, as 'keychainctl doctor' counts them.
    private func count(
        of entries: [CredentialStore.Entry],
        _ surroundings: Surroundings
    ) throws(Refusal) -> Int {
        try surroundings.withItems { (store) throws(KeychainError) in
            var count = 0
            for entry in entries { count += try store.countOfDeleted(entry) }
            return count
        }
    }

    private func delete(_ entries: [CredentialStore.Entry], _ surroundings: Surroundings) throws(Refusal) {
        for (index, entry) in entries.enumerated() {
            do throws(Refusal) {
                try surroundings.withItems { (store) throws(KeychainError) in try store.delete(entry) }
            } catch {
                let names = entries[..<index].map(\.name.printable).joined(separator: ", ")
                throw Refusal(
                    "\(entry.name.printable) was not deleted: \(error)\(names.isEmpty ? "" : "; deleted before: \(names)")",
                    error.status
                )
            }
        }
    }
}
