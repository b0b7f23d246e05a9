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
            "keychainctl show github.com/ada": "Shows account, label, group, dates and the reference.",
            "keychainctl show github.com/ada --json": "Writes them as a JSON object.",
        ])
    )

    @OptionGroup var item: ItemName

    @Flag(help: "Write a JSON object.")
    var json = false

    func run() throws {
        let surroundings = Surroundings.current
        let entry = try surroundings.item(try item.choices(), named: item.name)
        surroundings.printLine(json ? JSONText.indented(entry.json) : StatusRows.text(entry.rows))
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

    @Flag(help: "Write a JSON object with all attributes and the secret.")
    var json = false

    func validate() throws {
        guard !json || output == nil && field == nil else {
            throw ValidationError("--json excludes --output and --field.")
        }
    }

    func run() throws {
        let surroundings = Surroundings.current
        let (choices, field) = try chosen()
        let entry = try surroundings.item(choices, named: item.name)
        if json { return try write(json: entry, surroundings) }
        let value = try surroundings.value(of: field, in: entry)
        guard output == nil, surroundings.isTerminal(surroundings.standardOutput) else {
            return try SecretFile.write(value, to: output, standardOutput: surroundings.standardOutput)
        }
        let shown = SecretBytes(value.withUnsafeBytes { PrintableText.lines($0) })
        try SecretFile.write(shown, to: surroundings.standardOutput)
        surroundings.printLine("")
        if shown != value {
            surroundings.remark("A terminal would obey what is '?' here; --output writes it as it is.")
        }
        if field == .password { surroundings.remark("The password is on the screen: 'clear' removes it.") }
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
        var members = entry.json
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
