// SPDX-License-Identifier: Apache-2.0

import PortableSecurity

extension SecItemRule {
    /// What a search finds.
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
            "An attribute matches as a whole, neither by its beginning nor by a part.",
            otherwise: "a search finds items of a longer name",
            source: "Semantics, Conversion and comparison of values"
        ) { bench in
            try bench.add(SecItemBench.password("adalovelace"))
            try bench.copy(SecItemBench.password("ada"), gives: errSecItemNotFound)
            try bench.copy(SecItemBench.password("lace"), gives: errSecItemNotFound)
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
