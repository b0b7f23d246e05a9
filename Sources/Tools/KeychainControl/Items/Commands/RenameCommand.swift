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
            """
            Everything else stays as it is; its note, files and expiry come along. If any password is meant by that name, nothing is changed; with --group, if one of \
            that access group is.
            """,
            examples: ["keychainctl rename github.com/ada github.com/ada.lovelace": "Changes the account."]
        )
    )

    @OptionGroup var item: ItemName
    @OptionGroup var new: NewItemName

    func run() throws {
        let surroundings = Surroundings.current
        let entry = try surroundings.item(try item.choices(), named: item.name)
        let choice = try new.choice()
        try new.checkIsFree(choice, in: item.filter.group, besides: entry, surroundings)
        var changes: [AttributeName: PropertyValue] = [
            entry.passwordClass.service: .string(choice.service), .account: .string(choice.account ?? ""),
        ]
        // A label that is the service, as that of a new password, follows it.
        if entry.text(.label) == entry.service { changes[.label] = .string(choice.service) }
        do throws(Refusal) {
            try surroundings.withItems { (store) throws(KeychainError) in
                try store.updateWithAttachments(entry, changes)
            }
        } catch { throw new.refusal(error) }
        surroundings.remark("Renamed \(entry.name.printable) to \(new.newName.printable).")
    }
}
