// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandHelp
import CredentialHelpers
import KeychainCore

/// `keychainctl edit`.
struct EditCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "edit",
        abstract: "Changes a password in an editor, or its label and comment.",
        discussion: CommandDiscussion.text(
            """
            The editor is VISUAL or EDITOR, else vi; it gets a file in memory that only you can read, which is removed \
            afterwards. vi and vim are told to keep no copies; other editors may keep some elsewhere. If the editor fails, or \
            changes nothing, nothing is stored. A newline that the editor adds to the last line is not stored.
            """,
            examples: [
                "keychainctl edit github.com/ada": "Opens the password in an editor.",
                "keychainctl edit github.com/ada --comment 'for work'": "Changes the comment, and opens no editor.",
            ]
        )
    )

    @OptionGroup var item: ItemName

    @Option(help: "The new label (kSecAttrLabel).")
    var label: String?

    @Option(help: "The new comment (kSecAttrComment).")
    var comment: String?

    func run() throws {
        let surroundings = Surroundings.current
        let entry = try surroundings.item(try item.choices(), named: item.name)
        var changes: [AttributeName: PropertyValue] = [:]
        changes[.label] = label.map { .string($0) }
        changes["icmt"] = comment.map { .string($0) }
        if changes.isEmpty {
            try editSecret(of: entry, surroundings)
        } else {
            try surroundings.withItems { (store) throws(KeychainError) in try store.update(entry, changes) }
            surroundings.remark("Changed \(entry.name.printable).")
        }
    }

    private func editSecret(of entry: CredentialStore.Entry, _ surroundings: Surroundings) throws(Refusal) {
        let secret = try surroundings.secret(of: entry)
        let edited = try SecretEditor(surroundings).edited(secret)
        guard edited != secret else { return surroundings.remark("Nothing was changed.") }
        guard !edited.isEmpty else { throw Refusal("the file is empty: nothing was changed") }
        try surroundings.changeSecret(of: entry) { (current) throws(Refusal) in
            guard current == secret else {
                throw Refusal("the password was changed meanwhile by another program: nothing was stored")
            }
            return edited
        }
        surroundings.remark("Changed \(entry.name.printable).")
    }
}
