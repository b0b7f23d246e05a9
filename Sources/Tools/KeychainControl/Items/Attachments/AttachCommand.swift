// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandHelp
import CredentialHelpers
import KeychainCore

/// `keychainctl attach`.
struct AttachCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "attach",
        abstract: "Stores a small file beside a password.",
        discussion: CommandDiscussion.text(
            """
            The file is an item of its own, of at most 1 MiB, sealed as the password is; 'rename', 'move', 'copy' and \
            'delete' take it along. The file on the disk stays: remove it, if its contents are secret. 'keychainctl get \
            NAME --attachment FILE' writes it.
            """,
            examples: [
                "keychainctl attach github.com/ada recovery-codes.txt": "Stores a file under its name.",
                "keychainctl attach github.com/ada /tmp/x.pdf --name codes.pdf": "Stores it under another name.",
                "keychainctl attach github.com/ada codes.pdf --replace": "Replaces the one of that name.",
            ]
        )
    )

    @OptionGroup var item: ItemName

    @Argument(help: "The file; - for standard input.", completion: .file())
    var file: String

    @Option(name: .customLong("name"), help: "The name of the attachment; else that of the file.")
    var givenName: String?

    @Flag(help: "Replace an attachment of that name.")
    var replace = false

    private var attachmentName: String? {
        givenName ?? (file == "-" ? nil : file.split(separator: "/").last.map(String.init))
    }

    func validate() throws {
        guard let name = attachmentName else { throw ValidationError("Standard input needs a --name.") }
        guard AttachmentKind.isFileName(name) else {
            throw ValidationError("'\(name.printable)' cannot be the name of a file.")
        }
    }

    func run() throws {
        let surroundings = Surroundings.current
        let entry = try surroundings.item(try item.choices(), named: item.name)
        let name = attachmentName ?? ""
        let kind = AttachmentKind.file(name)
        if !replace, try surroundings.attachments(of: entry).entry(kind) != nil {
            throw Refusal("'\(entry.name.printable)' has an attachment \(name.printable); --replace replaces it")
        }
        let contents = try SecretFile.read(
            file,
            standardInput: surroundings.standardInput,
            atMost: AttachmentKind.largestByteCount
        )
        try surroundings.attach(contents, as: kind, to: entry)
        surroundings.remark("Attached \(name.printable) to \(entry.name.printable).")
    }
}

/// `keychainctl attachments`.
struct AttachmentsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "attachments",
        abstract: "Lists the files that are stored beside a password.",
        discussion: CommandDiscussion.text(
            """
            A line each: name, and the day of the last change. None is opened. The exit status is 3 if there is no such \
            password, and 0 if it has no files.
            """,
            examples: [
                "keychainctl attachments github.com/ada": "Lists them.",
                "keychainctl attachments github.com/ada --json": "Writes them as a JSON array.",
            ]
        )
    )

    @OptionGroup var item: ItemName

    @Flag(help: "Write a JSON array of objects.")
    var json = false

    func run() throws {
        let surroundings = Surroundings.current
        let entry = try surroundings.item(try item.choices(), named: item.name)
        let files = try surroundings.attachments(of: entry).files
        if json {
            let objects = files.map { name, entry in
                var members: [String: JSONValue] = ["name": .string(name)]
                if let changed = entry.date(.modificationDate) { members["modified"] = .string(TimeText.text(changed)) }
                return members
            }
            return surroundings.printLine(JSONText.indented(array: objects))
        }
        guard !files.isEmpty else { return }
        let rows = files.map { name, entry in
            [name.printable, entry.date(.modificationDate).map(TimeText.day) ?? ""]
        }
        surroundings.printLine(
            TextTable.text(rows, isAligned: surroundings.isTerminal(surroundings.standardOutput))
        )
    }
}

/// `keychainctl detach`.
struct DetachCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "detach",
        abstract: "Removes a file that is stored beside a password.",
        discussion: CommandDiscussion.text(
            "It asks first. 'keychainctl get NAME --attachment FILE --output FILE' writes it to a file before.",
            examples: ["keychainctl detach github.com/ada recovery-codes.txt": "Asks, and removes it."]
        )
    )

    @OptionGroup var item: ItemName

    @Argument(help: "The name of the attachment.")
    var attachment: String

    @Flag(name: .shortAndLong, help: "Do not ask.")
    var yes = false

    func run() throws {
        let surroundings = Surroundings.current
        let entry = try surroundings.item(try item.choices(), named: item.name)
        let file = try surroundings.attachment(attachment, of: entry)
        let what = "\(attachment.printable) of \(entry.name.printable)"
        try surroundings.confirmRemoval(of: what, yes)
        try surroundings.withItems { (store) throws(KeychainError) in try store.delete(file) }
        surroundings.remark("Removed \(what).")
    }
}

extension Surroundings {
    /// A file beside a password, by its name.
    ///
    /// - Throws: ``Refusal`` if there is none.
    func attachment(_ name: String, of entry: CredentialStore.Entry) throws(Refusal) -> CredentialStore.Entry {
        guard let file = try attachments(of: entry).entry(.file(name)) else {
            throw Refusal(
                "'\(entry.name.printable)' has no attachment '\(name.printable)'; 'keychainctl attachments' lists those it has",
                .notFound
            )
        }
        return file
    }

    /// Writes a secret to standard output, byte for byte; to a terminal nothing that it would obey.
    ///
    /// - Parameters:
    ///   - secret: its bytes.
    ///   - what: what it is called; `nil` if it is no secret.
    /// - Throws: ``Refusal`` if it cannot be written.
    func show(_ secret: SecretBytes, _ what: String?) throws(Refusal) {
        guard isTerminal(standardOutput) else { return try SecretFile.write(secret, to: standardOutput) }
        let shown = SecretBytes(secret.withUnsafeBytes { PrintableText.lines($0) })
        try SecretFile.write(shown, to: standardOutput)
        printLine("")
        if shown != secret { remark("A terminal would obey what is '?' here; --output, or a pipe, has it as it is.") }
        if let what { remark("The \(what) is on the screen: 'clear' removes it.") }
    }
}
