// SPDX-License-Identifier: Apache-2.0

import PortableSecurity

extension SecItemRule {
    /// Rules about returned results.
    static let results = [
        SecItemRule(
            "one without a limit",
            "A copy without kSecMatchLimit returns one item, and not in an array.",
            otherwise: "code that forgets the limit lists everything in the test, and one item on a device",
            source: "Semantics, Match limit"
        ) { bench in
            for account in ["ada", "bob"] { try bench.add(SecItemBench.password(account), SecItemBench.secret) }
            let all: SecItemBench.Attributes = [kSecClass: kSecClassGenericPassword]
            _ = try bench.attributes(all)
        },
        SecItemRule(
            "an array for all",
            "A copy with kSecMatchLimitAll returns an array, for a single match too.",
            otherwise: "a cast to an array fails if there is one account",
            source: "Semantics, Result of a copy"
        ) { bench in
            try bench.add(SecItemBench.password(), SecItemBench.secret)
            try bench.expect(1, matching: SecItemBench.password(), because: "one was added")
            let query = SecItemBench.password(more: [kSecReturnData: true, kSecMatchLimit: kSecMatchLimitAll])
            let result = try bench.copy(query)
            try bench.expect(
                (result as? [Any])?.first is Data,
                "an array of data",
                got: result,
                of: SecItemBench.copying(query)
            )
        },
        SecItemRule(
            "as many as the limit",
            "A copy with a number as the limit returns an array of no more than so many.",
            otherwise: "a page of items has another size",
            source: "Semantics, Match limit and Result of a copy"
        ) { bench in
            for account in ["ada", "bob", "eve"] { try bench.add(SecItemBench.password(account)) }
            let query: SecItemBench.Attributes = [
                kSecClass: kSecClassGenericPassword, kSecMatchLimit: 2, kSecReturnAttributes: true,
            ]
            let result = try bench.copy(query)
            let count = (result as? [Any])?.count
            try bench.expect(count == 2, "an array of 2", got: result, of: SecItemBench.copying(query))
        },
        SecItemRule(
            "no match is an error",
            "A copy that matches nothing is errSecItemNotFound without a result, for kSecMatchLimitAll too: never an empty array.",
            otherwise: "the first launch, when nothing is stored, takes a path that no test has taken",
            source: "Semantics, Result of a copy"
        ) { bench in
            let query = SecItemBench.password(more: [kSecReturnAttributes: true])
            try bench.copy(query, gives: errSecItemNotFound)
            let result = try bench.copy(query, [kSecMatchLimit: kSecMatchLimitAll], gives: errSecItemNotFound)
            try bench.expect(result == nil, "no result", got: result, of: SecItemBench.copying(query))
        },
        SecItemRule(
            "data alone is data",
            "A copy with kSecReturnData alone returns Data, and no dictionary.",
            otherwise: "a cast fails on one of both",
            source: "Semantics, Result of a copy"
        ) { bench in
            try bench.add(SecItemBench.password(), SecItemBench.secret)
            try bench.expect(Data("secret".utf8), in: SecItemBench.password(), because: "the secret as Data")
        },
        SecItemRule(
            "no flag, no result",
            "A copy without a return flag says whether there is an item, and returns nothing.",
            otherwise: "code that forgets the flag works in the test alone",
            source: "Semantics, Result of a copy"
        ) { bench in
            try bench.add(SecItemBench.password(), SecItemBench.secret)
            let result = try bench.copy(SecItemBench.password())
            try bench.expect(
                result == nil,
                "no result",
                got: result,
                of: SecItemBench.copying(SecItemBench.password())
            )
            let added = try bench.add(SecItemBench.password("bob"), SecItemBench.secret)
            try bench.expect(added == nil, "no result", got: added, of: "SecItemAdd without a return flag")
        },
        SecItemRule(
            "add returns what is asked for",
            "An add with return flags returns the new item in the shape of a copy of one.",
            otherwise: "code that reads an add's result finds none",
            source: "Semantics, Result of an add"
        ) { bench in
            let data = try bench.add(SecItemBench.password("ada"), [kSecReturnData: true, kSecValueData: Data([1])])
            try bench.expect(data as? Data == Data([1]), "the data", got: data, of: "SecItemAdd with kSecReturnData")
            let result = try bench.add(SecItemBench.password("bob"), [kSecReturnAttributes: true])
            try bench.expect(
                SecItemBench.dictionary(result)?[kSecAttrAccount as String] as? String == "bob",
                "the attributes",
                got: result,
                of: "SecItemAdd with kSecReturnAttributes"
            )
        },
    ]
}
