// SPDX-License-Identifier: Apache-2.0

import PortableSecurity

extension SecItemRule {
    /// Adds of duplicates.
    static let refusals = [
        SecItemRule(
            "add twice is refused",
            "The second add of an item is errSecDuplicateItem (-25299).",
            otherwise: "save methods that only add pass their tests, and keep the old password forever on a device",
            source: "Semantics, Adding an item; Apple: SecItemAdd"
        ) { bench in
            let item = SecItemBench.password().merging(SecItemBench.secret) { _, new in new }
            try bench.add(item)
            try bench.add(item, gives: errSecDuplicateItem)
        },
        SecItemRule(
            "other data is a duplicate",
            "An add whose key is taken is errSecDuplicateItem although the secret is another.",
            otherwise: "a changed password is saved in the test, and refused on a device",
            source: "Semantics, Attributes of each class"
        ) { bench in
            try bench.add(SecItemBench.password(), SecItemBench.secret)
            try bench.add(SecItemBench.password(), SecItemBench.otherSecret, gives: errSecDuplicateItem)
        },
        SecItemRule(
            "label makes no item",
            "The label is not part of the key: an add that differs in it alone is errSecDuplicateItem.",
            otherwise: "an item that cannot be found by its query cannot be added either, on a device only",
            source: "Semantics, Attributes of each class"
        ) { try $0.refusesAddDiffering(in: kSecAttrLabel) },
        SecItemRule(
            "generic attribute makes no item",
            "kSecAttrGeneric is not part of the key, whatever Apple's old sample code made people believe.",
            otherwise: "two items by two identifiers exist in the test, and one on a device",
            source: "Semantics, Attributes of each class"
        ) { try $0.refusesAddDiffering(in: kSecAttrGeneric) },
        SecItemRule(
            "comment and description make no item",
            "Neither the comment nor the description is part of the key.",
            otherwise: "an update that changes a comment is an add in the test, and a failure on a device",
            source: "Semantics, Attributes of each class"
        ) { bench in
            try bench.refusesAddDiffering(in: kSecAttrComment)
            try bench.add(
                SecItemBench.password(more: [kSecAttrDescription: "another"]),
                SecItemBench.secret,
                gives: errSecDuplicateItem
            )
        },
        SecItemRule(
            "accessibility makes no item",
            "kSecAttrAccessible is not part of the key, but does select: a search for another one finds nothing, and an add is a duplicate.",
            otherwise: "the release that changes the accessibility in the common query can neither find nor save",
            source: "Semantics, Attributes of each class and Access control"
        ) { bench in
            let item = SecItemBench.password()
            try bench.add(item, [kSecAttrAccessible: kSecAttrAccessibleWhenUnlocked])
            let other: SecItemBench.Attributes = [kSecAttrAccessible: kSecAttrAccessibleAfterFirstUnlock]
            try bench.copy(item, other, gives: errSecItemNotFound)
            try bench.add(item, other, gives: errSecDuplicateItem)
        },
        SecItemRule(
            "a refused add changes nothing",
            "After errSecDuplicateItem the stored item has its old secret and its old attributes.",
            otherwise: "code that ignores the status of an add seems to save",
            source: "Semantics, Adding an item"
        ) { bench in
            try bench.add(SecItemBench.password(more: [kSecAttrLabel: "first"]), SecItemBench.secret)
            try bench.add(
                SecItemBench.password(more: [kSecAttrLabel: "second"]),
                SecItemBench.otherSecret,
                gives: errSecDuplicateItem
            )
            try bench.expect(Data("secret".utf8), in: SecItemBench.password(), because: "the data of the first add")
            let attributes = try bench.attributes(SecItemBench.password())
            try bench.expect(
                attributes[kSecAttrLabel as String] as? String == "first",
                "the label of the first add",
                got: attributes[kSecAttrLabel as String],
                of: SecItemBench.copying(SecItemBench.password())
            )
        },
        SecItemRule(
            "free again after a delete",
            "A key whose item was deleted can be added again.",
            otherwise: "signing in after signing out fails",
            source: "Semantics, Deleting items"
        ) { bench in
            try bench.add(SecItemBench.password(), SecItemBench.secret)
            try bench.delete(SecItemBench.password())
            try bench.add(SecItemBench.password(), SecItemBench.otherSecret)
            try bench.expect(Data("another".utf8), in: SecItemBench.password(), because: "the data of the second add")
        },
    ]
}

extension SecItemBench {
    fileprivate func refusesAddDiffering(in attribute: CFString) throws {
        let (one, other) = (Data("one".utf8), Data("other".utf8))
        try add(Self.password(more: [attribute: one]), Self.secret)
        try copy(Self.password(more: [attribute: other]), gives: errSecItemNotFound)
        try add(Self.password(more: [attribute: other]), Self.secret, gives: errSecDuplicateItem)
    }
}
