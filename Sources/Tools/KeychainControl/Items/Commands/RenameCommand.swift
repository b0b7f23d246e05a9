// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandHelp
import CredentialHelpers
import KeychainCore

/// `keychainctl rename`.
struct RenameCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rename",
        abstract: "Gives a password another service and account.",
        discussion: CommandDiscussion.text(
            "Everything else stays as it is. If there is a password of that name, nothing is changed.",
            examples: ["keychainctl rename github.com/ada github.com/ada.lovelace": "Changes the account."]
        )
    )

    @OptionGroup var item: ItemName
    @OptionGroup var new: NewItemName

    func run() throws {
        let surroundings = Surroundings.current
        let entry = try surroundings.item(try item.choices(), named: item.name)
        let choice = try new.choice()
        var changes: [AttributeName: PropertyValue] = [
            entry.passwordClass.service: .string(choice.service), .account: .string(choice.account ?? ""),
        ]
        // A label that is the service, as that of a new password, follows it.
        if entry.text(.label) == entry.service { changes[.label] = .string(choice.service) }
        do throws(Refusal) {
            try surroundings.withItems { (store) throws(KeychainError) in try store.update(entry, changes) }
        } catch { throw new.refusal(error) }
        surroundings.remark("Renamed \(entry.name.printable) to \(new.newName.printable).")
    }
}

/// `keychainctl copy`.
struct CopyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "copy",
        abstract: "Makes a second password with the secret of one, under another name.",
        discussion: CommandDiscussion.text(
            "If there is a password of that name, nothing is changed.",
            examples: ["keychainctl copy github.com/ada backup/ada": "Keeps the password under a second name."]
        )
    )

    @OptionGroup var item: ItemName
    @OptionGroup var new: NewItemName

    @Option(help: ArgumentHelp("The access group of the copy; else that of the password.", valueName: "group"))
    var toGroup: String?

    /// What a copy takes over; the attributes of its name and its times are its own.
    private static let copied: [AttributeName] = [
        "desc", "icmt", "crtr", "type", "invi", "nega", "gena", "sdmn", "ptcl", "atyp", "port", "path", .accessible,
        .accessControl, .synchronizable,
    ]

    func run() throws {
        let surroundings = Surroundings.current
        let entry = try surroundings.item(try item.choices(), named: item.name)
        let choice = try new.choice()
        let secret = try surroundings.secret(of: entry)
        var attributes = entry.attributes.filter { name, value in
            // Zero is what a column has that was not given.
            Self.copied.contains { $0.description == name } && value != .number(.integer(0))
        }
        // The access control has the accessibility in it.
        if attributes[AttributeName.accessControl.description] != nil {
            attributes[AttributeName.accessible.description] = nil
        }
        var new: [AttributeName: PropertyValue] = [
            entry.passwordClass.service: .string(choice.service), .account: .string(choice.account ?? ""),
            .label: .string(entry.text(.label) == entry.service ? choice.service : entry.text(.label) ?? ""),
        ]
        for name in Self.copied { new[name] = attributes[name.description] }
        do throws(Refusal) {
            try surroundings.withItems(in: toGroup ?? entry.accessGroup) { (store) throws(KeychainError) in
                try store.add(entry.itemClass, new, secret: secret)
            }
        } catch { throw self.new.refusal(error) }
        surroundings.remark("Copied \(entry.name.printable) to \(self.new.newName.printable).")
    }
}

/// The new name of a password.
struct NewItemName: ParsableArguments {
    @Argument(help: "The new SERVICE/ACCOUNT, SERVICE alone, or a reference.")
    var newName: String

    @Option(help: "The new account; the new name is the service then, with all of its slashes.")
    var newAccount: String?

    /// Service and account.
    func choice() throws(Refusal) -> ItemChoice {
        if newName.hasPrefix(SecretReference.prefix) {
            let reference = try SecretReference(newName)
            guard reference.field == .password, reference.choice.itemClass == nil, reference.choice.group == nil else {
                throw Refusal("the reference of a new name has service and account alone", .usage)
            }
            return reference.choice
        }
        guard !newName.isEmpty else { throw Refusal("a password has a service", .usage) }
        if let newAccount { return ItemChoice(service: newName, account: newAccount) }
        let divisions = ItemName.divisions(newName)
        guard divisions.count <= 1 else {
            throw Refusal(
                "'\(newName.printable)' has several slashes: give the account by --new-account, or a reference with %2F within "
                    + "a name",
                .usage
            )
        }
        guard let division = divisions.first else { return ItemChoice(service: newName, account: "") }
        return ItemChoice(service: division.service, account: division.account)
    }

    /// Why nothing has the new name.
    func refusal(_ error: Refusal) -> Refusal {
        guard error.status == .failed else { return error }
        return Refusal("'\(newName.printable)' was not made: \(error)")
    }
}
