// SPDX-License-Identifier: Apache-2.0

import PortableSecurity

extension SecItemRule {
    /// Updates that would create a duplicate.
    static let collisions = [
        SecItemRule(
            "update onto another item is refused",
            "An update that would give an item another's key is errSecDuplicateItem, whichever attribute of the key it names, and both stay as they were.",
            otherwise: "renaming an account swallows another one in the test, and fails on a device",
            source: "Semantics, Updating items"
        ) { bench in
            let differences: [SecItemBench.Attributes] = [
                [kSecAttrAccount: "bob"], [kSecAttrService: "chat"],
                [kSecAttrAccessGroup: KeychainContract.sharedAccessGroup], [kSecAttrSynchronizable: true],
            ]
            for difference in differences {
                let item = SecItemBench.password(more: [
                    kSecAttrAccessGroup: KeychainContract.defaultAccessGroup, kSecAttrSynchronizable: false,
                ])
                let other = item.merging(difference) { $1 }
                try bench.add(item, SecItemBench.secret)
                try bench.add(other, SecItemBench.otherSecret)
                try bench.update(item, to: difference, gives: errSecDuplicateItem)
                try bench.expect(Data("secret".utf8), in: item, because: "what was there before")
                try bench.expect(Data("another".utf8), in: other, because: "what was there before")
                try bench.delete(item)
                try bench.delete(other)
            }
        },
        SecItemRule(
            "update of many to one key is refused",
            "An update that would give several items one key is errSecDuplicateItem, and changes none of them.",
            otherwise: "after a failed update one item is renamed in the test, and none on a device",
            source: "Semantics, Updating items"
        ) { bench in
            for account in ["ada", "bob"] { try bench.add(SecItemBench.password(account), SecItemBench.secret) }
            try bench.update(
                [kSecClass: kSecClassGenericPassword, kSecAttrService: "mail"],
                to: [kSecAttrAccount: "eve"],
                gives: errSecDuplicateItem
            )
            for account in ["ada", "bob"] {
                try bench.expect(1, matching: SecItemBench.password(account), because: "nothing was changed")
            }
            try bench.copy(SecItemBench.password("eve"), gives: errSecItemNotFound)
        },
        SecItemRule(
            "update to its own key is none",
            "An update that names the key which the item has already is no duplicate, and changes the rest.",
            otherwise: "code that updates with all attributes fails in the test alone",
            source: "Semantics, Updating items"
        ) { bench in
            try bench.add(SecItemBench.password(), SecItemBench.secret)
            try bench.update(
                SecItemBench.password(),
                to: [kSecAttrAccount: "ada", kSecAttrService: "mail", kSecValueData: Data("another".utf8)]
            )
            try bench.expect(Data("another".utf8), in: SecItemBench.password(), because: "the data of the update")
        },
    ]
}
