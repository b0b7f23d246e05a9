// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandHelp
import KeychainCore

/// `keychainctl history`: the values that passwords had before.
struct HistoryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "history",
        abstract: "Keeps the former values of passwords, and shows when they were replaced.",
        discussion: CommandDiscussion.text(
            """
            Nothing is kept unless you say how many: of a password, or of all. A former value is sealed like the password, \
            and deleted with it; backups have none. The first number that is set takes the keychain to format 3.3.
            """,
            examples: [
                "keychainctl history keep 5 github.com/ada": "Keeps the last five values of a password from now on.",
                "keychainctl history github.com/ada": "Lists when its former values were replaced.",
                "keychainctl history keep 3 --all": "Keeps the last three values of every password.",
            ]
        ),
        subcommands: [ShowHistoryCommand.self, KeepHistoryCommand.self, ClearHistoryCommand.self],
        defaultSubcommand: ShowHistoryCommand.self
    )
}

/// `keychainctl history show`.
struct ShowHistoryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Lists the former values of a password by number, or writes one of them.",
        discussion: CommandDiscussion.text(
            """
            Number 1 is the value that was replaced last. A line each: number, when it was replaced, how many bytes it has, \
            and the default access group of the program that replaced it. No value is opened without --reveal.
            """,
            examples: [
                "keychainctl history show github.com/ada": "Lists the former values.",
                "keychainctl history show github.com/ada --reveal 1": "Writes the one that was replaced last.",
                "keychainctl history show github.com/ada --json": "Lists them as a JSON object.",
            ]
        )
    )

    @OptionGroup var item: ItemName

    @Option(help: ArgumentHelp("Write the value of this number, byte for byte.", valueName: "number"))
    var reveal: Int?

    @Flag(help: "Write a JSON object.")
    var json = false

    func validate() throws {
        guard !json || reveal == nil else { throw ValidationError("--json and --reveal exclude each other.") }
    }

    func run() throws {
        let surroundings = Surroundings.current
        let password = try surroundings.historyItem(item)
        let history = try surroundings.withHistory { (store) throws(KeychainError) in
            try store.values(of: password.subject)
        }
        guard let reveal else { return show(history, surroundings) }
        let value = try history.value(reveal)
        let secret = try surroundings.withHistory { (store) throws(KeychainError) in
            try store.secret(value, of: password.subject)
        }
        guard surroundings.isTerminal(surroundings.standardOutput) else {
            return try SecretFile.write(secret, to: surroundings.standardOutput)
        }
        let shown = SecretBytes(secret.withUnsafeBytes { PrintableText.lines($0) })
        try SecretFile.write(shown, to: surroundings.standardOutput)
        surroundings.printLine("")
        surroundings.remark("A former password is on the screen: 'clear' removes it.")
    }

    private func show(_ history: ItemHistory, _ surroundings: Surroundings) {
        if json { return surroundings.printLine(JSONText.indented(history.json)) }
        if history.keep == 0 {
            surroundings.remark("No former values are kept: 'keychainctl history keep NUMBER \(item.name.printable)'.")
        }
        guard !history.values.isEmpty else { return }
        let isTerminal = surroundings.isTerminal(surroundings.standardOutput)
        surroundings.printLine(TextTable.text(history.cells, isAligned: isTerminal))
    }
}

/// `keychainctl history keep`.
struct KeepHistoryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keep",
        abstract: "Sets how many former values are kept, of a password or of all.",
        discussion: CommandDiscussion.text(
            """
            At most 100, and 256 KiB of each password; 0 for none. The number of a password goes before that for all. A \
            smaller number removes older values: of a password at once, after it has asked; with --all when each is changed \
            the next time, but 0 removes all of them at once, and the numbers of single passwords.
            """,
            examples: [
                "keychainctl history keep 5 github.com/ada": "Keeps the last five values of a password.",
                "keychainctl history keep 3 --all": "Keeps the last three values of every other password.",
                "keychainctl history keep 0 --all --yes": "Removes all former values, and keeps none any more.",
            ]
        )
    )

    @Argument(help: "How many, or 'default' for the number for all passwords.")
    var number: String

    @OptionGroup var target: HistoryTarget

    @Flag(name: .shortAndLong, help: "Do not ask.")
    var yes = false

    func validate() throws {
        guard number == "default" && !target.all || count != nil else {
            throw ValidationError("The number is between 0 and \(ItemHistory.maximumCount).")
        }
    }

    private var count: Int? {
        guard let count = Int(number), (0...ItemHistory.maximumCount).contains(count) else { return nil }
        return count
    }

    func run() throws {
        let surroundings = Surroundings.current
        guard let item = try target.item(surroundings) else { return try keepForAll(surroundings) }
        let (values, numberForAll) = try surroundings.withHistory { (store) throws(KeychainError) in
            (try store.values(of: item.subject).values.count, try store.numberForAll())
        }
        let kept = count ?? numberForAll
        if values > kept {
            try surroundings.confirmRemoval(of: Count.text(values - kept, "former value"), yes)
        }
        try surroundings.reportingStoreVersion { () throws(Refusal) in
            try surroundings.withHistory { (store) throws(KeychainError) in try store.keep(count, of: item.subject) }
        }
        surroundings.remark("Keeps \(Count.text(kept, "former value")) of \(item.entry.name.printable).")
    }

    private func keepForAll(_ surroundings: Surroundings) throws(Refusal) {
        let number = count ?? 0
        if number == 0 { try surroundings.confirmRemoval(of: "all former values of all passwords", yes) }
        try surroundings.reportingStoreVersion { () throws(Refusal) in
            try surroundings.withHistory { (store) throws(KeychainError) in try store.keepForAll(number) }
        }
        surroundings.remark("Keeps \(Count.text(number, "former value")) of passwords without a number of their own.")
    }
}

/// `keychainctl history clear`.
struct ClearHistoryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "clear",
        abstract: "Removes the former values of a password, or of all.",
        discussion: CommandDiscussion.text(
            """
            How many are kept from now on stays as it is. The bytes of what is removed are overwritten in the keychain's \
            file; older copies of its pages stay in the log until that is written back.
            """,
            examples: [
                "keychainctl history clear github.com/ada": "Asks, and removes the former values of a password.",
                "keychainctl history clear --all --yes": "Removes those of all passwords.",
            ]
        )
    )

    @OptionGroup var target: HistoryTarget

    @Flag(name: .shortAndLong, help: "Do not ask.")
    var yes = false

    func run() throws {
        let surroundings = Surroundings.current
        guard let item = try target.item(surroundings) else {
            try surroundings.confirmRemoval(of: "the former values of all passwords", yes)
            try surroundings.withHistory { (store) throws(KeychainError) in try store.clearAll() }
            return surroundings.remark("Removed the former values of all passwords.")
        }
        let name = item.entry.name.printable
        try surroundings.confirmRemoval(of: "the former values of \(name)", yes)
        try surroundings.withHistory { (store) throws(KeychainError) in try store.clear(item.subject) }
        surroundings.remark("Removed the former values of \(name).")
    }
}
