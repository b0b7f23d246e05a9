// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandHelp
import KeychainCore

/// `keychainctl set`.
struct SetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set",
        abstract: "Stores a password, or replaces the secret of one that is there.",
        discussion: CommandDiscussion.text(
            """
            The secret is standard input to its end, without a final newline, or is asked for twice on a terminal; never \
            an argument, because other programs can see those. It goes to the access group that all programs of the user \
            share, as with 'security'. Of a password that is there, only what is given changes. A service alone means the \
            only account that it has, as with 'get'; --account '' is for a password without one.
            """,
            examples: [
                "keychainctl set github.com/ada": "Asks for the password, and stores it.",
                "./make-token | keychainctl set com.example.tool/ada": "Stores what a program writes.",
                "keychainctl set com.example.tool/ada --file key.pem": "Stores a file, byte for byte.",
                "keychainctl set --class internet example.com/ada": "Stores the password of a server.",
            ]
        )
    )

    @OptionGroup var item: ItemName
    @OptionGroup var misplaced: MisplacedSecret

    @Option(help: "Store this file, byte for byte; - for standard input.", completion: .file())
    var file: String?

    @Flag(help: "Keep the final newline of standard input.")
    var keepNewline = false

    @Option(help: "The label (kSecAttrLabel); else the service.")
    var label: String?

    @Option(help: "The comment (kSecAttrComment).")
    var comment: String?

    @Option(help: "When it can be read: \(AccessibleName.names).")
    var accessible: AccessibleName?

    @Flag(
        inversion: .prefixedNo,
        help: "Give it to the user's other devices, where the keychain is synchronized; or no longer."
    )
    var synchronizable: Bool?

    func validate() throws {
        guard file == nil || !keepNewline else { throw ValidationError("--file keeps every newline.") }
    }

    func run() throws {
        let surroundings = Surroundings.current
        let target = try surroundings.target(of: item, synchronizable: synchronizable)
        let secret = try readSecret(surroundings, for: target)
        surroundings.remark("\(try surroundings.store(secret, at: target, attributes).remark).")
    }

    private var attributes: [AttributeName: PropertyValue] {
        var attributes: [AttributeName: PropertyValue] = [:]
        attributes[.label] = label.map { .string($0) }
        attributes["icmt"] = comment.map { .string($0) }
        attributes[.accessible] = accessible.map { .string($0.accessibility.rawValue) }
        return attributes
    }

    private func readSecret(_ surroundings: Surroundings, for target: PasswordPlace) throws(Refusal) -> SecretBytes {
        if let file { return try SecretFile.read(file, standardInput: surroundings.standardInput) }
        guard !surroundings.isTerminal(surroundings.standardInput) else {
            let name = SecretInput.Name(text: "password", options: "standard input or --file", label: "Password")
            let secret = try SecretInput.person(surroundings.authenticator)
                .read(
                    name,
                    .newApplicationPassword,
                    reason: "\(target.entry == nil ? "store" : "replace") \(target.name)"
                )
            guard !secret.isEmpty else { throw Refusal("no password was given") }
            return secret
        }
        let input = try SecretFile.read("-", standardInput: surroundings.standardInput)
        // A program that failed has written nothing.
        guard !input.isEmpty else {
            throw Refusal("standard input is empty; '--file /dev/null' stores an empty secret")
        }
        return keepNewline ? input : input.withoutFinalNewline
    }
}
