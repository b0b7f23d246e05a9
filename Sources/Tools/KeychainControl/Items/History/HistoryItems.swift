// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredentialHelpers
import KeychainCore

/// A password, or all of them.
struct HistoryTarget: ParsableArguments {
    @Argument(
        help: "SERVICE/ACCOUNT, SERVICE alone, or a reference keychain://SERVICE/ACCOUNT.",
        completion: ItemCompletion.name
    )
    var name: String?

    @OptionGroup var filter: ItemFilter

    @Flag(help: "All passwords, of every access group.")
    var all = false

    func validate() throws {
        guard all == (name == nil) else { throw ValidationError("Give a password, or --all.") }
        guard !all || filter.isEmpty else { throw ValidationError("--all takes no options that choose a password.") }
    }

    /// The password; `nil` for all.
    func item(_ surroundings: Surroundings) throws(Refusal) -> HistoryItem? {
        guard let name else { return nil }
        return try HistoryItem(surroundings.item(ItemName.choices(name, filter), named: name))
    }
}

/// A password with former values.
struct HistoryItem {
    let entry: CredentialStore.Entry
    let subject: HistoryRequest.Subject

    init(_ entry: CredentialStore.Entry) throws(Refusal) {
        guard let identifier = entry.identifier else { throw Refusal("the password has no identifier") }
        self.entry = entry
        subject = HistoryRequest.Subject(entry.itemClass, identifier)
    }
}

extension Surroundings {
    /// The password that is named.
    func historyItem(_ name: ItemName) throws(Refusal) -> HistoryItem {
        try HistoryItem(item(name.choices(), named: name.name))
    }

    /// Does something with former values; asks for the passcode where the keychain is locked and there is a terminal.
    func withHistory<Result>(
        _ body: (KeychainHistory) throws(KeychainError) -> Result
    ) throws(Refusal) -> Result {
        try withItems { (_) throws(KeychainError) in try body(KeychainHistory(keychain, client: .person)) }
    }

    /// Asks before something is removed.
    ///
    /// - Throws: ``Refusal`` if it is not confirmed, or nobody can be asked.
    func confirmRemoval(of what: String, _ isConfirmed: Bool) throws(Refusal) {
        guard !isConfirmed else { return }
        guard let answer = confirm("This removes \(what).") else {
            throw Refusal("there is no terminal to ask; --yes removes without a question")
        }
        guard answer else { throw Refusal("nothing was removed") }
    }
}

extension ItemHistory {
    /// The value of a number, from 1 for the one that was replaced last.
    ///
    /// - Throws: ``Refusal`` if there is none.
    func value(_ number: Int) throws(Refusal) -> FormerValue {
        guard number > 0, number <= values.count else {
            let remedy = values.isEmpty ? "; 'keychainctl history keep NUMBER NAME' keeps some from now on" : ""
            throw Refusal("the password has \(Count.text(values.count, "former value"))\(remedy)", .notFound)
        }
        return values[number - 1]
    }

    /// The cells of a list: number, when it was replaced, size, group.
    var cells: [[String]] {
        values.enumerated().map { index, value in
            ["\(index + 1)", TimeText.text(value.replaced), Count.text(value.byteCount, "byte"), value.group.printable]
        }
    }

    /// The members of its JSON object.
    var json: [String: JSONValue] {
        let values = values.enumerated().map { index, value in
            JSONValue.object([
                "number": .integer(index + 1), "replaced": .string(TimeText.text(value.replaced)),
                "bytes": .integer(value.byteCount), "accessGroup": .string(value.group),
            ])
        }
        return ["keep": .integer(keep), "keepIsOwn": .boolean(isOwn), "values": .array(values)]
    }
}
