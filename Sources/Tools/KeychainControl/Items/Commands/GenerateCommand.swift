// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandHelp
import KeychainCore

/// `keychainctl generate`.
struct GenerateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "generate",
        abstract: "Makes a random password, and shows or stores it.",
        discussion: CommandDiscussion.text(
            """
            Every password of the given form is equally likely; how many bits of entropy that is, is said on standard \
            error. Words are of two or three syllables without a meaning, 16 bits each (proquints).
            """,
            examples: [
                "keychainctl generate": "Writes 24 letters and digits.",
                "keychainctl generate --set github.com/ada": "Stores a new password, and does not show it.",
                "keychainctl generate --length 12 --alphabet digits": "Writes 12 digits.",
                "keychainctl generate --words 6": "Writes six words that can be said aloud.",
            ]
        )
    )

    @Option(name: .shortAndLong, help: "The number of characters; else 24.")
    var length: Int?

    @Option(
        help: ArgumentHelp(
            "The characters: \(GeneratedPassword.Alphabet.names), or a text with each of them.",
            valueName: "alphabet"
        )
    )
    var alphabet: String?

    @Option(help: ArgumentHelp("Make this many words instead, with hyphens between them.", valueName: "n"))
    var words: Int?

    @Option(
        name: .customLong("set"),
        help: ArgumentHelp("Store it as this password, and do not show it.", valueName: "service/account"),
        completion: ItemCompletion.name
    )
    var target: String?

    @Flag(help: "Replace the password that --set names, if it is there.")
    var replace = false

    @OptionGroup var filter: ItemFilter

    func validate() throws {
        guard words == nil || length == nil && alphabet == nil else {
            throw ValidationError("--words excludes --length and --alphabet.")
        }
        guard target != nil || filter.isEmpty && !replace else {
            throw ValidationError("--replace, \(ItemFilter.options) are for --set.")
        }
        guard (1...GeneratedPassword.largestCount).contains(words ?? length ?? 1) else {
            throw ValidationError("A password has 1 to \(GeneratedPassword.largestCount) characters or words.")
        }
        _ = try form
    }

    private var form: GeneratedPassword {
        get throws {
            if let words { return .words(words) }
            guard let alphabet = GeneratedPassword.Alphabet(alphabet ?? "alphanumeric") else {
                throw ValidationError(
                    "An alphabet is one of \(GeneratedPassword.Alphabet.names), or has two or more different characters of ASCII."
                )
            }
            return .characters(alphabet, length ?? 24)
        }
    }

    func run() throws {
        let surroundings = Surroundings.current
        let form = try form
        guard let target else {
            let password = form.random()
            try SecretFile.write(password, to: surroundings.standardOutput)
            surroundings.printLine("")
            return surroundings.remark("\(form.bits) bits of entropy.")
        }
        let place = try surroundings.target(target, try ItemName.choices(target, filter))
        // Nobody knows the new one: a mistaken name must not cost a password.
        guard place.entry == nil || replace else {
            throw Refusal("there is a password '\(place.name.printable)' already; --replace replaces it")
        }
        let stored = try surroundings.store(form.random(), at: place)
        surroundings.remark("\(stored.remark), \(form.bits) bits of entropy.")
    }
}
