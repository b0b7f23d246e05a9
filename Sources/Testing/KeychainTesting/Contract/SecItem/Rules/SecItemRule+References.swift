// SPDX-License-Identifier: Apache-2.0

import PortableSecurity

extension SecItemRule {
    /// Persistent references.
    static let references = [
        SecItemRule(
            "a persistent reference finds its item",
            "kSecReturnPersistentRef returns data, which finds the item without further attributes.",
            otherwise: "code that keeps references, as for VPN configurations, cannot be tested",
            source: "Semantics, Persistent references"
        ) { bench in
            try bench.add(SecItemBench.password("bob"), SecItemBench.otherSecret)
            let reference = try bench.reference(toNew: SecItemBench.password("ada"))
            try bench.expect(
                Data("secret".utf8),
                in: [kSecValuePersistentRef: reference],
                because: "the data of the item"
            )
        },
        SecItemRule(
            "a persistent reference outlives updates",
            "The reference is that of the item: an update, of the account too, does not change it.",
            otherwise: "a stored reference is lost with the first change on one of both",
            source: "Semantics, Persistent references"
        ) { bench in
            let reference = try bench.reference(toNew: SecItemBench.password("ada"))
            try bench.update(SecItemBench.password("ada"), to: [kSecAttrAccount: "bob", kSecValueData: Data([1])])
            try bench.expect(
                Data([1]),
                in: [kSecValuePersistentRef: reference],
                because: "the data of the item as it is now"
            )
        },
        SecItemRule(
            "a persistent reference dies with its item",
            "After a delete the reference finds nothing, and an item that is added again has another one.",
            otherwise: "a stale reference reaches an item that is not its own",
            source: "Semantics, Persistent references"
        ) { bench in
            let reference = try bench.reference(toNew: SecItemBench.password("ada"))
            try bench.delete(SecItemBench.password("ada"))
            try bench.copy([kSecValuePersistentRef: reference], gives: errSecItemNotFound)
            try bench.add(SecItemBench.password("ada"), SecItemBench.secret)
            try bench.copy([kSecValuePersistentRef: reference], gives: errSecItemNotFound)
        },
    ]

    /// Concurrent callers.
    static let concurrency = [
        SecItemRule(
            "one of many adds wins",
            "Of adds of one key at the same time exactly one succeeds, and the others are errSecDuplicateItem.",
            otherwise: "a race that two launches of a device decide is decided otherwise, or crashes, in the test",
            source: "Semantics, Adding an item",
            needs: .concurrency
        ) { try $0.race() }
    ]
}

extension SecItemBench {
    fileprivate func reference(toNew item: Attributes) throws -> Data {
        let result = try add(item, Self.secret.merging([kSecReturnPersistentRef: true]) { _, new in new })
        guard let reference = result as? Data, !reference.isEmpty else {
            throw mismatch("SecItemAdd with kSecReturnPersistentRef", expected: "data", got: Self.shape(result))
        }
        return reference
    }
}
