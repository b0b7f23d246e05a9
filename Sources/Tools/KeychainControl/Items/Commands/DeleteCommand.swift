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
            Each name has to mean one password: if one means none or several, nothing is deleted. Its note, files and expiry \
            are deleted with it, also where they are all that is left of it. Programs of other names \
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
        var entries: [ListedPassword] = []
        for name in names {
            for found in try meant(by: name, surroundings)
            where !entries.contains(where: { $0.entry.isSame(as: found.entry) }) { entries.append(found) }
        }
        let passwords = Count.text(entries.count, "password")
        let lines = entries.map { "    \($0.entry.distinction)\($0.attachments.remark)" }.joined(separator: "\n")
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

    /// The password of a name, or what is left of one that is gone.
    private func meant(by name: String, _ surroundings: Surroundings) throws(Refusal) -> [ListedPassword] {
        let choices = try ItemName.choices(name, filter)
        do throws(Refusal) {
            let entry = try surroundings.item(choices, named: name)
            return [ListedPassword(entry: entry, attachments: try surroundings.attachments(of: entry))]
        } catch {
            guard error.status == .notFound else { throw error }
            let left = try surroundings.leftAttachments(choices)
            guard !left.isEmpty else { throw error }
            return left
        }
    }

    /// How many items are removed, as 'keychainctl doctor' counts them.
    private func count(
        of entries: [ListedPassword],
        _ surroundings: Surroundings
    ) throws(Refusal) -> Int {
        try surroundings.withItems { (store) throws(KeychainError) in
            var count = 0
            for entry in entries.flatMap({ [$0.entry] + $0.attachments.entries }) {
                count += try store.countOfDeleted(entry)
            }
            return count
        }
    }

    private func delete(_ entries: [ListedPassword], _ surroundings: Surroundings) throws(Refusal) {
        for (index, entry) in entries.enumerated() {
            do throws(Refusal) {
                // What belongs to it comes last: it is never lost with a password that stays.
                try surroundings.withItems { (store) throws(KeychainError) in try store.delete(entry.entry) }
                try surroundings.delete(entry.attachments)
            } catch {
                let names = entries[..<index].map(\.entry.name.printable).joined(separator: ", ")
                throw Refusal(
                    "\(entry.entry.name.printable) was not deleted: \(error)\(names.isEmpty ? "" : "; deleted before: \(names)")",
                    error.status
                )
            }
        }
    }
}
