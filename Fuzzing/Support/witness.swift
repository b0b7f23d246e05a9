// SPDX-License-Identifier: Apache-2.0

import KeychainCore

@testable import KeychainEngine

/// A keychain with one item, in a group that no client of a target has: whatever is asked of it, that stays as it is.
struct WitnessedKeychain {
    let keychain = EmbeddedKeychain.inMemory()

    private static let secret = SecretBytes([1, 2, 3])
    private static let client = Client(accessGroups: ["witness"])
    private static let item: [String: PropertyValue] = [
        PropertyKey.itemClass: .string("genp"), "acct": .string("witness"),
    ]

    init() {
        var add = PropertyDictionary(Self.item)
        add[PropertyKey.valueData] = .data(Self.secret)
        guard (try? keychain.perform(KeychainRequest(.add(add), client: Self.client))) != nil else {
            preconditionFailure("the witness cannot be added")
        }
    }

    /// Ends the process if the item is not there as it was.
    func check() {
        var query = PropertyDictionary(Self.item)
        query[PropertyKey.returnData] = .boolean(true)
        let answer = try? keychain.perform(KeychainRequest(.copyMatching(query), client: Self.client))
        precondition(answer == .single(.data(Self.secret)), "the witness is gone")
    }
}
