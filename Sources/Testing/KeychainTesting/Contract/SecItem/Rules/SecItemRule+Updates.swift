// SPDX-License-Identifier: Apache-2.0

import PortableSecurity

extension SecItemRule {
    /// Rules about updates.
    static let updates = [
        SecItemRule(
            "update of nothing is refused",
            "An update that matches nothing is errSecItemNotFound (-25300).",
            otherwise: "update-then-add never comes to the add, and the first save on a device is lost",
            source: "Semantics, Updating items; Apple: SecItemUpdate"
        ) { try $0.update(SecItemBench.password(), to: SecItemBench.secret, gives: errSecItemNotFound) },
        SecItemRule(
            "update creates nothing",
            "After an update that matched nothing there is still nothing.",
            otherwise: "a store that only updates seems to save",
            source: "Semantics, Updating items"
        ) { bench in
            _ = bench.subject.update(
                SecItemBench.plain(SecItemBench.password()),
                SecItemBench.plain(SecItemBench.secret)
            )
            try bench.copy(SecItemBench.password(), gives: errSecItemNotFound)
        },
        SecItemRule(
            "update replaces the secret",
            "An update with kSecValueData replaces the data and makes no second item.",
            otherwise: "the old password comes back",
            source: "Semantics, Updating items"
        ) { bench in
            try bench.add(SecItemBench.password(), SecItemBench.secret)
            try bench.update(SecItemBench.password(), to: SecItemBench.otherSecret)
            try bench.expect(Data("another".utf8), in: SecItemBench.password(), because: "the data of the update")
            try bench.expect(1, matching: SecItemBench.password(), because: "an update makes none")
        },
        SecItemRule(
            "update keeps what it does not name",
            "An update leaves alone every attribute that it does not name, and the secret when it has none.",
            otherwise: "changing a label loses the password, or changing a password loses the label, on one of both",
            source: "Semantics, Updating items"
        ) { bench in
            try bench.add(SecItemBench.password(more: [kSecAttrComment: "kept"]), SecItemBench.secret)
            try bench.update(SecItemBench.password(), to: [kSecAttrLabel: "new"])
            try bench.expect(Data("secret".utf8), in: SecItemBench.password(), because: "the data of the add")
            try bench.copy(SecItemBench.password(more: [kSecAttrComment: "kept", kSecAttrLabel: "new"]))
        },
        SecItemRule(
            "update moves an item to another key",
            "An update may change the account: the item is found by the new one, and no more by the old.",
            otherwise: "renaming an account leaves the old item behind, or does nothing",
            source: "Semantics, Updating items"
        ) { bench in
            try bench.add(SecItemBench.password("ada"), SecItemBench.secret)
            try bench.update(SecItemBench.password("ada"), to: [kSecAttrAccount: "bob"])
            try bench.copy(SecItemBench.password("ada"), gives: errSecItemNotFound)
            try bench.expect(Data("secret".utf8), in: SecItemBench.password("bob"), because: "the data of the item")
        },
        SecItemRule(
            "update to no bytes",
            "An update with data of no bytes replaces the secret by it.",
            otherwise: "a password that was emptied is the old one again",
            source: "Semantics, Result of a copy and Updating items"
        ) { bench in
            try bench.add(SecItemBench.password(), SecItemBench.secret)
            try bench.update(SecItemBench.password(), to: [kSecValueData: Data()])
            try bench.expect(Data(), in: SecItemBench.password(), because: "data of no bytes")
        },
        SecItemRule(
            "update changes the accessibility",
            "An update may change kSecAttrAccessible: the item says so, and is found by the new one.",
            otherwise: "the release that makes its items readable in the background leaves them as they were",
            source: "Semantics, Updating items and Access control"
        ) { bench in
            let after: SecItemBench.Attributes = [kSecAttrAccessible: kSecAttrAccessibleAfterFirstUnlock]
            try bench.add(SecItemBench.password(), SecItemBench.secret)
            try bench.update(SecItemBench.password(), to: after)
            try bench.expect(
                kSecAttrAccessible,
                kSecAttrAccessibleAfterFirstUnlock as String,
                named: "kSecAttrAccessibleAfterFirstUnlock",
                in: SecItemBench.password()
            )
            try bench.copy(SecItemBench.password(more: after))
        },
        SecItemRule(
            "update changes all matches",
            "An update changes every item that matches, not the first one alone.",
            otherwise: "a query that is too wide overwrites every password on a device, and one in the test",
            source: "Semantics, Match limit and Updating items"
        ) { bench in
            try bench.add(SecItemBench.password("ada"), SecItemBench.secret)
            try bench.add(SecItemBench.password("bob"), SecItemBench.secret)
            try bench.update(
                [kSecClass: kSecClassGenericPassword, kSecAttrService: "mail"],
                to: SecItemBench.otherSecret
            )
            for account in ["ada", "bob"] {
                let item = SecItemBench.password(account)
                try bench.expect(Data("another".utf8), in: item, because: "the data of the update")
            }
        },
        SecItemRule(
            "an update leaves the others",
            "An update changes what matches every attribute of its query, and no item that has only the service, only the account, or a longer name.",
            otherwise: "saving one password overwrites those of other accounts and services",
            source: "Semantics, Updating items and Conversion and comparison of values"
        ) { bench in
            let old: SecItemBench.Attributes = [kSecAttrLabel: "old"]
            let others = [("bob", "mail"), ("ada", "chat"), ("adalovelace", "mail"), ("ada", "mail.work")]
            for (account, service) in [("ada", "mail")] + others {
                try bench.add(SecItemBench.password(account, at: service, more: old), SecItemBench.secret)
            }
            try bench.update(
                SecItemBench.password(),
                to: [kSecValueData: Data("another".utf8), kSecAttrLabel: "new"]
            )
            try bench.expect(Data("another".utf8), in: SecItemBench.password(), because: "the data of the update")
            for (account, service) in others {
                let other = SecItemBench.password(account, at: service)
                try bench.expect(Data("secret".utf8), in: other, because: "the data of another item")
                try bench.copy(other, old)
            }
        },
    ]

    /// Rules about deletes.
    static let deletions = [
        SecItemRule(
            "delete of nothing is refused",
            "A delete that matches nothing is errSecItemNotFound (-25300).",
            otherwise: "signing out when no user is signed in fails only on a device",
            source: "Semantics, Deleting items; Apple: SecItemDelete"
        ) { try $0.delete(SecItemBench.password(), gives: errSecItemNotFound) },
        SecItemRule(
            "delete takes all matches",
            "A delete takes every item that matches.",
            otherwise: "a query that is too wide signs everybody out on a device, and one in the test",
            source: "Semantics, Match limit and Deleting items"
        ) { bench in
            for account in ["ada", "bob"] { try bench.add(SecItemBench.password(account)) }
            try bench.add(SecItemBench.password("ada", at: "chat"))
            try bench.delete([kSecClass: kSecClassGenericPassword, kSecAttrService: "mail"])
            let all: SecItemBench.Attributes = [kSecClass: kSecClassGenericPassword]
            try bench.expect(1, matching: all, because: "only that of the other service is left")
        },
        SecItemRule(
            "delete heeds every attribute",
            "A delete takes only what matches all attributes of the query, those outside of the key too.",
            otherwise: "a delete by label takes nothing, or everything, in one of both",
            source: "Semantics, Deleting items"
        ) { bench in
            try bench.add(SecItemBench.password(more: [kSecAttrLabel: "kept"]))
            try bench.delete(SecItemBench.password(more: [kSecAttrLabel: "other"]), gives: errSecItemNotFound)
            try bench.expect(1, matching: SecItemBench.password(), because: "nothing matched")
        },
    ]
}
