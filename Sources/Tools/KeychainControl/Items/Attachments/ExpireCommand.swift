// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandHelp
import CredentialHelpers
import KeychainCore

/// `keychainctl expire`.
struct ExpireCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "expire",
        abstract: "Says when passwords have to be replaced, and lists those that are due.",
        discussion: CommandDiscussion.text(
            """
            A date is \(ExpiryDate.forms); a day begins at 00:00 UTC. Without a date, that of the password is written. It is \
            a reminder: an expired password works as before, and one that gets another secret keeps its date.

            --due lists what has expired, the oldest first, with --within also what expires soon: day, name, class and \
            address, access group. No secret is opened. The exit status is 3 if nothing is due, or if a password has no date.
            """,
            examples: [
                "keychainctl expire github.com/ada 90d": "It has to be replaced in 90 days.",
                "keychainctl expire github.com/ada 2027-02-27": "On a day.",
                "keychainctl expire github.com/ada never": "Removes the date.",
                "keychainctl expire --due --within 30d": "Lists what expires within 30 days, or has expired.",
            ]
        )
    )

    @Argument(
        help: "SERVICE/ACCOUNT, SERVICE alone, or a reference keychain://SERVICE/ACCOUNT.",
        completion: ItemCompletion.name
    )
    var name: String?

    @Argument(help: "The date: \(ExpiryDate.forms).")
    var date: String?

    @OptionGroup var filter: ItemFilter

    @Flag(help: "List what has expired.")
    var due = false

    @Option(help: ArgumentHelp("List also what expires in this time, such as 30d or 4w.", valueName: "time"))
    var within: String?

    @Flag(help: "Write a JSON array of objects.")
    var json = false

    func validate() throws {
        guard due == (name == nil) else { throw ValidationError("Give a password, or --due.") }
        guard due || within == nil && !json else { throw ValidationError("--within and --json are for --due.") }
        guard !due || filter.account == nil else { throw ValidationError("--account is for one password.") }
        if let within, ExpiryDate.seconds(of: within) == nil {
            throw ValidationError("'\(within.printable)' is not a time such as 30d or 4w.")
        }
        if let date, ExpiryDate(date, now: 0) == nil {
            throw ValidationError("'\(date.printable)' is not a date: \(ExpiryDate.forms).")
        }
    }

    func run() throws {
        let surroundings = Surroundings.current
        guard let name else { return try listDue(surroundings) }
        let entry = try surroundings.item(try ItemName.choices(name, filter), named: name)
        let attachments = try surroundings.attachments(of: entry)
        guard let date, let date = ExpiryDate(date, now: surroundings.seconds()) else {
            guard let expires = attachments.expires else {
                throw Refusal("'\(entry.name.printable)' never expires", .notFound)
            }
            return surroundings.printLine(TimeText.text(expires))
        }
        switch date {
        case .at(let time):
            try surroundings.attach(SecretBytes(), as: .expiry, to: entry, time: time)
            surroundings.remark("\(entry.name.printable) expires on \(TimeText.day(time)).")
        case .never:
            if let expiry = attachments.expiry {
                try surroundings.withItems { (store) throws(KeychainError) in try store.delete(expiry) }
            }
            surroundings.remark("\(entry.name.printable) never expires.")
        }
    }

    private func listDue(_ surroundings: Surroundings) throws(Refusal) {
        let limit = Timestamp(unix: surroundings.seconds() + (within.flatMap(ExpiryDate.seconds) ?? 0))
        let choice = ItemChoice(service: "", itemClass: filter.itemClass?.itemClass, address: filter.address.parts)
        let due = try surroundings.passwords(in: filter.group, choice)
            .compactMap { password in password.attachments.expires.map { (date: $0, password: password) } }
            .filter { $0.date <= limit }
            .sorted { $0.date < $1.date }
        guard !due.isEmpty else { throw Refusal("no password is due", .notFound) }
        if json { return surroundings.printLine(JSONText.indented(array: due.map(\.password.json))) }
        let rows = due.map { date, password in [TimeText.day(date)] + password.entry.cells.dropLast() }
        surroundings.printLine(
            TextTable.text(rows, isAligned: surroundings.isTerminal(surroundings.standardOutput))
        )
    }
}
