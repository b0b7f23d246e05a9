// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredentialHelpers
import KeychainCore

/// The new name of a password.
struct NewItemName: ParsableArguments {
    @Argument(help: "The new SERVICE/ACCOUNT, SERVICE alone, or a reference.")
    var newName: String

    @Option(help: "The new account; the new name is the service then, with all of its slashes.")
    var newAccount: String?

    /// Service and account.
    func choice() throws(Refusal) -> ItemChoice {
        if SecretReference.isReference(newName) {
            let reference = try SecretReference(newName)
            let choice = ItemChoice(service: reference.choice.service, account: reference.choice.account ?? "")
            guard newAccount == nil, !choice.service.isEmpty,
                reference == SecretReference(choice)
                    || reference == SecretReference(ItemChoice(service: choice.service))
            else { throw Refusal("the reference of a new name has service and account alone", .usage) }
            return choice
        }
        guard !newName.isEmpty else { throw Refusal("a password has a service", .usage) }
        if let newAccount { return ItemChoice(service: newName, account: newAccount) }
        let divisions = ItemName.divisions(newName).filter { !$0.service.isEmpty }
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

    /// Refuses a name by which a password is already meant, of whatever class and address: it would mean two.
    ///
    /// - Parameters:
    ///   - choice: the new service and account.
    ///   - group: the only group in which the name has to be free; `nil` for all.
    ///   - entry: a password that gives its name up.
    ///   - surroundings: where to look.
    /// - Throws: ``Refusal`` if it is taken.
    func checkIsFree(
        _ choice: ItemChoice,
        in group: String?,
        besides entry: CredentialStore.Entry? = nil,
        _ surroundings: Surroundings
    ) throws(Refusal) {
        let meant = try ItemName.exactChoices(
            CredentialStore.Entry.name(choice.service, choice.account ?? ""),
            ItemChoice(service: "", group: group)
        )
        let taken = try surroundings.entries(meant).filter { found in !(entry?.isSame(as: found) ?? false) }
        guard let first = taken.first else { return }
        throw Refusal("'\(newName.printable)' was not made: there is \(first.distinction)")
    }

    /// Why nothing has the new name.
    func refusal(_ error: Refusal) -> Refusal {
        guard error.status == .failed else { return error }
        return Refusal("'\(newName.printable)' was not made: \(error)")
    }
}
