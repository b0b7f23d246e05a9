// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandHelp
import CredentialHelpers
import KeychainCore

/// `keychainctl note`.
struct NoteCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "note",
        abstract: "Shows or changes the note of a password, which is a secret as well.",
        discussion: CommandDiscussion.text(
            """
            The note is an item of its own, sealed as the password is; 'rename', 'move', 'copy' and 'delete' take it \
            along. It has at most 1 MiB. Without an option it is written byte for byte; the exit status is 3 if there is \
            none. The comment of a password (--comment) is an attribute, which lists show, and no secret.
            """,
            examples: [
                "keychainctl note github.com/ada": "Shows the note.",
                "keychainctl note github.com/ada --edit": "Opens it in an editor, also a new one.",
                "keychainctl note github.com/ada --set < recovery-codes.txt": "Stores standard input to its end.",
                "keychainctl note github.com/ada --remove": "Asks, and removes it.",
            ]
        )
    )

    @OptionGroup var item: ItemName

    @Flag(help: "Change it in VISUAL or EDITOR, as 'keychainctl edit' does with a password.")
    var edit = false

    @Flag(help: "Store standard input to its end, byte for byte.")
    var set = false

    @Flag(help: "Remove it.")
    var remove = false

    @Flag(name: .shortAndLong, help: "Do not ask.")
    var yes = false

    func validate() throws {
        guard [edit, set, remove].filter(\.self).count <= 1 else {
            throw ValidationError("--edit, --set and --remove exclude each other.")
        }
        guard !yes || remove else { throw ValidationError("--yes is for --remove.") }
    }

    func run() throws {
        let surroundings = Surroundings.current
        let entry = try surroundings.item(try item.choices(), named: item.name)
        if set { return try store(try input(surroundings), of: entry, surroundings) }
        let note = try surroundings.attachments(of: entry).note
        if edit { return try edit(note, of: entry, surroundings) }
        guard let note else { throw Refusal("'\(entry.name.printable)' has no note", .notFound) }
        guard remove else { return try surroundings.show(try surroundings.secret(of: note), "note") }
        try surroundings.confirmRemoval(of: "the note of \(entry.name.printable)", yes)
        try surroundings.withItems { (store) throws(KeychainError) in try store.delete(note) }
        surroundings.remark("Removed the note of \(entry.name.printable).")
    }

    private func input(_ surroundings: Surroundings) throws(Refusal) -> SecretBytes {
        guard !surroundings.isTerminal(surroundings.standardInput) else {
            throw Refusal("standard input is a terminal, which would show the note; --edit opens an editor", .usage)
        }
        let text = try SecretFile.read(
            "-",
            standardInput: surroundings.standardInput,
            atMost: AttachmentKind.largestByteCount
        )
        // A program that failed has written nothing.
        guard !text.isEmpty else { throw Refusal("standard input is empty; --remove removes a note") }
        return text
    }

    private func edit(
        _ note: CredentialStore.Entry?,
        of entry: CredentialStore.Entry,
        _ surroundings: Surroundings
    ) throws(Refusal) {
        var former = SecretBytes()
        if let note { former = try surroundings.secret(of: note) }
        let edited = try SecretEditor(surroundings).edited(former)
        guard edited != former else { return surroundings.remark("Nothing was changed.") }
        guard !edited.isEmpty else { throw Refusal("the file is empty: nothing was changed; --remove removes a note") }
        guard edited.count <= AttachmentKind.largestByteCount else {
            throw Refusal("the note has more than 1 MiB: nothing was changed")
        }
        guard let note else {
            guard try surroundings.attachments(of: entry).note == nil else { throw Self.changedMeanwhile }
            return try store(edited, of: entry, surroundings)
        }
        try surroundings.changeSecret(of: note) { (current) throws(Refusal) in
            guard current == former else { throw Self.changedMeanwhile }
            return edited
        }
        surroundings.remark("Stored the note of \(entry.name.printable).")
    }

    private static let changedMeanwhile = Refusal(
        "the note was changed meanwhile by another program: nothing was stored"
    )

    private func store(
        _ text: SecretBytes,
        of entry: CredentialStore.Entry,
        _ surroundings: Surroundings
    ) throws(Refusal) {
        try surroundings.attach(text, as: .note, to: entry)
        surroundings.remark("Stored the note of \(entry.name.printable).")
    }
}
