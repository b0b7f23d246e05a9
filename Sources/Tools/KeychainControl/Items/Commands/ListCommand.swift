// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandHelp
import CredentialHelpers
import KeychainCore

/// `keychainctl list`.
struct ListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists the passwords of the keychain, by name.",
        discussion: CommandDiscussion.text(
            """
            A line each: name, class and address, access group, day of the last change; behind the address, whether it has \
            a note and files, and when it expires. Those are items of their own, which --all lists as well; what is left of \
            a password that another program deleted is always listed. No secret is opened; but where a name is locked, nothing is listed, and the exit status is 5. Certificates and keys are listed by 'security \
            find-identity'.
            """,
            examples: [
                "keychainctl list": "Lists all passwords.",
                "keychainctl list --group com.example.tool --json": "Lists those of a program as JSON.",
                "keychainctl list --null | xargs -0 -n 1 keychainctl show": "Shows each of them.",
            ]
        )
    )

    @OptionGroup var filter: ListFilter
    @OptionGroup var output: ListOutput

    @Flag(help: "List notes, files and expiries by themselves, too.")
    var all = false

    func run() throws {
        let surroundings = Surroundings.current
        try output.print(try filter.entries(surroundings, all: all), surroundings)
    }
}

/// `keychainctl search`.
struct SearchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "search",
        abstract: "Finds passwords whose name, label or comment is similar to some words, the best first.",
        discussion: CommandDiscussion.text(
            """
            Each word has to be found, in any letter case; letters may be missing between its letters. The lines are those \
            of 'list'. The exit status is 3 if nothing is found.
            """,
            examples: [
                "keychainctl search github": "Finds the passwords for GitHub.",
                "keychainctl search ghub ada": "Finds github.com/ada as well.",
            ]
        )
    )

    @Argument(help: "The words.")
    var words: [String]

    @OptionGroup var filter: ListFilter
    @OptionGroup var output: ListOutput

    func run() throws {
        let surroundings = Surroundings.current
        let folded = words.map(FuzzySearch.folded)
        let ranked = try filter.entries(surroundings).compactMap { password in
            FuzzySearch.rank(password.searchedTexts.map(FuzzySearch.folded), folded: folded).map {
                (password: password, rank: $0)
            }
        }
        guard !ranked.isEmpty else { throw Refusal("no password has these words in its name", .notFound) }
        // The sort is stable: equal ones stay in the order of their names.
        try output.print(ranked.sorted { $0.rank < $1.rank }.map(\.password), surroundings)
    }
}

/// Which passwords are listed.
struct ListFilter: ParsableArguments {
    @Option(name: .customLong("class"), help: "Only generic passwords, or those of servers.")
    var itemClass: PasswordClass?

    @Option(name: .shortAndLong, help: ArgumentHelp("Only those of this access group.", valueName: "group"))
    var group: String?

    @OptionGroup var address: AddressFilter

    func validate() throws {
        guard itemClass != .generic || address.parts.isEmpty else { throw AddressFilter.genericError }
    }

    /// The passwords, in the order of their names.
    func entries(_ surroundings: Surroundings, all: Bool = false) throws(Refusal) -> [ListedPassword] {
        let choice = ItemChoice(service: "", itemClass: itemClass?.itemClass, address: address.parts)
        return try surroundings.passwords(in: group, choice, all: all)
    }
}

/// How a list is printed.
struct ListOutput: ParsableArguments {
    @Flag(help: "Write a JSON array of objects.")
    var json = false

    @Flag(name: [.customLong("null"), .customShort("0")], help: "Write references alone, with a NUL after each.")
    var endsWithNull = false

    func validate() throws {
        guard !json || !endsWithNull else { throw ValidationError("--json and --null exclude each other.") }
    }

    /// Prints passwords.
    func print(_ entries: [ListedPassword], _ surroundings: Surroundings) throws(Refusal) {
        if endsWithNull {
            let references = entries.compactMap(\.entry.reference)
            if references.count < entries.count {
                let count = Count.text(entries.count - references.count, "password")
                surroundings.remark("\(count) without a reference: the service or account is not UTF-8.")
            }
            let names = references.map { "\($0)\0" }.joined()
            return try SecretFile.write(SecretBytes(Array(names.utf8)), to: surroundings.standardOutput)
        }
        if json { return surroundings.printLine(JSONText.indented(array: entries.map(\.json))) }
        guard !entries.isEmpty else { return }
        let isTerminal = surroundings.isTerminal(surroundings.standardOutput)
        surroundings.printLine(TextTable.text(entries.map(\.cells), isAligned: isTerminal))
    }
}
