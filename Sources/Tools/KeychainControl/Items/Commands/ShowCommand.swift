// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandHelp
import CredentialHelpers
import FoundationEssentials
import KeychainCore

/// `keychainctl show`.
struct ShowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Shows the attributes of a password, but not the secret.",
        discussion: CommandDiscussion.text(examples: [
            "keychainctl show github.com/ada":
                "Shows account, label, dates, the reference, and what belongs to it.",
            "keychainctl show github.com/ada --json": "Writes them as a JSON object.",
        ])
    )

    @OptionGroup var item: ItemName

    @Flag(help: "Write a JSON object.")
    var json = false

    func run() throws {
        let surroundings = Surroundings.current
        let entry = try surroundings.item(try item.choices(), named: item.name)
        let password = ListedPassword(entry: entry, attachments: try surroundings.attachments(of: entry))
        surroundings.printLine(
            json
                ? JSONText.indented(password.json)
                : StatusRows.text(entry.rows.dropLast() + password.attachments.rows + entry.rows.suffix(1))
        )
    }
}

/// `keychainctl get`.
struct GetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "get",
        abstract: "Writes the secret of a password, byte for byte.",
        discussion: CommandDiscussion.text(
            """
            Nothing is added, except for a newline on a terminal. The exit status is 3 if there is no such password, 4 if \
            there are several, 5 if it cannot be read because the keychain is locked, and 6 without a keychain.
            """,
            examples: [
                "keychainctl get github.com/ada": "Shows a password.",
                "keychainctl get com.example.tool/ada --output key.pem":
                    "Writes a secret to a new file of yours alone.",
                "keychainctl get github.com --field account": "Writes the account for a service.",
            ]
        )
    )

    @OptionGroup var item: ItemName

    @Option(
        name: .shortAndLong,
        help: "A new file, which only its owner may read; else standard output.",
        completion: .file()
    )
    var output: String?

    @Option(name: .shortAndLong, help: "What to write: \(ItemField.names).")
    var field: ItemField?

    @Option(help: ArgumentHelp("Write a file that is stored beside the password.", valueName: "name"))
    var attachment: String?

    @Flag(help: "Write a JSON object with all attributes and the secret.")
    var json = false

    func validate() throws {
        guard !json || output == nil && field == nil && attachment == nil else {
            throw ValidationError("--json excludes --output, --field and --attachment.")
        }
        guard field == nil || attachment == nil else {
            throw ValidationError("--field and --attachment exclude each other.")
        }
    }

    func run() throws {
        let surroundings = Surroundings.current
        if let attachment {
            let entry = try surroundings.item(try item.choices(), named: item.name)
            let contents = try surroundings.secret(of: try surroundings.attachment(attachment, of: entry))
            guard let output else { return try surroundings.show(contents, "attachment") }
            return try SecretFile.write(contents, to: output, standardOutput: surroundings.standardOutput)
        }
        let (choices, field) = try chosen()
        let entry = try surroundings.item(choices, named: item.name)
        if json { return try write(json: entry, surroundings) }
        let value = try surroundings.value(of: field, in: entry)
        if let output { return try SecretFile.write(value, to: output, standardOutput: surroundings.standardOutput) }
        try surroundings.show(value, field == .password ? "password" : nil)
    }

    /// A reference may name the field.
    private func chosen() throws -> (choices: [[ItemChoice]], field: ItemField) {
        guard SecretReference.isReference(item.name), item.filter.isEmpty else {
            return (try item.choices(), field ?? .password)
        }
        let reference = try SecretReference(item.name)
        return ([[reference.choice]], field ?? reference.field)
    }

    private func write(json entry: CredentialStore.Entry, _ surroundings: Surroundings) throws {
        let secret = try surroundings.secret(of: entry)
        var members = entry.json.merging(try surroundings.attachments(of: entry).json) { $1 }
        if let text = secret.withUnsafeBytes({ String(validating: $0, as: UTF8.self) }) {
            members["password"] = .string(text)
        } else {
            members["passwordBase64"] = .string(Data(secret.unprotectedCopy).base64EncodedString())
        }
        surroundings.printLine(JSONText.indented(members))
    }
}

extension Surroundings {
    /// A part of a password.
    func value(of field: ItemField, in entry: CredentialStore.Entry) throws(Refusal) -> SecretBytes {
        guard let attribute = field.attribute(of: entry.passwordClass) else {
            let secret = try secret(of: entry)
            guard field == .otp else { return secret }
            return SecretBytes(Array(try OneTimePassword(secret).code(at: seconds()).utf8))
        }
        return SecretBytes(Array((entry.text(attribute) ?? "").utf8))
    }
}
