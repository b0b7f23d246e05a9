// SPDX-License-Identifier: Apache-2.0

import CredentialHelpers
import KeychainCore

/// Which passwords are meant: what is `nil` may be anything.
struct ItemChoice: Hashable, Sendable {
    /// The service of a generic password, the server of an internet password; empty for an item without one.
    var service: String

    /// The account; empty for an item without one.
    var account: String?

    var itemClass: ItemClass?

    /// The access group.
    var group: String?

    var isSynchronizable: Bool?

    /// Further parts of the primary key of an internet password; an empty one is that of an item without it.
    var address: [AddressPart: String] = [:]

    /// The classes to search.
    var classes: [ItemClass] {
        if let itemClass { return [itemClass] }
        return address.isEmpty ? PasswordClass.allCases.map(\.itemClass) : [.internetPassword]
    }

    /// Whether an item is meant that a search by service, account, class and group has found.
    func matches(_ entry: CredentialStore.Entry) -> Bool {
        // A search for the group '*' finds those of every group.
        guard group.map(entry.accessGroup.hasSameBytes) ?? true,
            isSynchronizable.map({ $0 == entry.isSynchronizable }) ?? true
        else { return false }
        return address.allSatisfy { part, value in
            part.text(of: entry)?.hasSameBytes(as: part.normalized(value)) ?? false
        }
    }

    /// The same class, group and address.
    func with(service: String, account: String) -> ItemChoice {
        var choice = self
        (choice.service, choice.account) = (service, account)
        return choice
    }
}
