// SPDX-License-Identifier: Apache-2.0

import PortableSecurity

extension SecItemRule {
    /// Rules about what a search finds.
    static let searches = [
        SecItemRule(
            "fewer attributes find more",
            "A query names what has to match, and no more: the class alone matches every item of the class.",
            otherwise: "code that asks for a service finds nothing in the test",
            source: "Semantics, Copying matching items"
        ) { bench in
            try bench.add(SecItemBench.password("ada"))
            try bench.add(SecItemBench.password("ada", at: "chat"))
            try bench.add(SecItemBench.internetPassword())
            let service: SecItemBench.Attributes = [kSecClass: kSecClassGenericPassword, kSecAttrService: "chat"]
            try bench.expect(1, matching: service, because: "the service matches")
            try bench.expect(2, matching: [kSecClass: kSecClassGenericPassword], because: "the class matches")
        },
        SecItemRule(
            "every attribute filters",
            "Attributes outside of the key filter as those of the key do.",
            otherwise: "a search by label or generic attribute finds what is not asked for",
            source: "Semantics, Copying matching items"
        ) { bench in
            let more: SecItemBench.Attributes = [
                kSecAttrLabel: "label", kSecAttrGeneric: Data("generic".utf8), kSecAttrComment: "comment",
            ]
            try bench.add(SecItemBench.password(more: more))
            let all: SecItemBench.Attributes = [kSecClass: kSecClassGenericPassword]
            for key in [kSecAttrLabel, kSecAttrGeneric, kSecAttrComment] {
                try bench.copy(all, [key: more[key] ?? ""])
                try bench.copy(all, [key: "other"], gives: errSecItemNotFound)
            }
        },
        SecItemRule(
            "whole values match",
            "An attribute matches as a whole, neither by its beginning nor by a part: accounts and services alike.",
            otherwise: "a search finds items of a longer name",
            source: "Semantics, Conversion and comparison of values"
        ) { bench in
            try bench.add(SecItemBench.password("adalovelace"), SecItemBench.secret)
            try bench.copy(SecItemBench.password("ada"), gives: errSecItemNotFound)
            try bench.copy(SecItemBench.password("lace"), gives: errSecItemNotFound)
            try bench.add(SecItemBench.password("eve", at: "chatroom"), SecItemBench.secret)
            for service in ["chat", "room"] {
                try bench.copy(SecItemBench.password("eve", at: service), gives: errSecItemNotFound)
                let all: SecItemBench.Attributes = [kSecClass: kSecClassGenericPassword, kSecAttrService: service]
                try bench.copy(all, [kSecReturnData: true], gives: errSecItemNotFound)
            }
        },
        SecItemRule(
            "a delete takes whole names",
            "A delete by service, or by account, leaves the items whose name begins as the named one does, or ends so.",
            otherwise: "signing out of one service, or one account, deletes the passwords of others",
            source: "Semantics, Conversion and comparison of values and Deleting items"
        ) { bench in
            let services = ["mail", "mail.work", "mailbox", "gmail"]
            for service in services { try bench.add(SecItemBench.password(at: service), SecItemBench.secret) }
            try bench.delete([kSecClass: kSecClassGenericPassword, kSecAttrService: "mail"])
            for service in services.dropFirst() {
                let query = SecItemBench.password(at: service)
                try bench.expect(1, matching: query, because: "\(service) is another service")
            }
            let accounts = ["ada", "adalovelace", "ada@mail", "canada"]
            for account in accounts { try bench.add(SecItemBench.password(account), SecItemBench.secret) }
            try bench.delete(SecItemBench.password("ada"))
            for account in accounts.dropFirst() {
                let query = SecItemBench.password(account)
                try bench.expect(1, matching: query, because: "\(account) is another account")
            }
        },
        SecItemRule(
            "a list forgets what was deleted",
            "After a delete, a query for all items of a service has the others, and no more, such as those of a longer service.",
            otherwise: "an account that was removed stays on the screen, and opens without a password",
            source: "Semantics, Deleting items"
        ) { bench in
            for account in ["ada", "bob", "eve"] { try bench.add(SecItemBench.password(account), SecItemBench.secret) }
            for (service, account) in [("mail.work", "dan"), ("mailbox", "fay"), ("gmail", "gus")] {
                try bench.add(SecItemBench.password(account, at: service), SecItemBench.secret)
            }
            try bench.delete(SecItemBench.password("bob"))
            let service: SecItemBench.Attributes = [kSecClass: kSecClassGenericPassword, kSecAttrService: "mail"]
            let accounts = try bench.list(service).compactMap { $0[kSecAttrAccount as String] as? String }
            try bench.expect(
                accounts.sorted() == ["ada", "eve"],
                "the accounts ada and eve",
                got: accounts,
                of: SecItemBench.copying(service)
            )
        },
        SecItemRule(
            "the secret does not filter",
            "kSecValueData in a query is passed over, also in that of an update or a delete.",
            otherwise: "a query that is reused from the add finds nothing once the password has changed",
            source: "Semantics, What each function accepts"
        ) { bench in
            try bench.add(SecItemBench.password(), SecItemBench.secret)
            let query = SecItemBench.password(more: SecItemBench.otherSecret)
            try bench.copy(query)
            try bench.update(query, to: [kSecAttrLabel: "label"])
            try bench.delete(query)
        },
    ]
}
