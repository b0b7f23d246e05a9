// SPDX-License-Identifier: Apache-2.0

import PortableSecurity

extension SecItemRule {
    /// Rules about attributes that the keychain adds itself.
    static let attributes = [
        SecItemRule(
            "dates are set",
            "An item has a creation and a modification date, which are equal after the add; a date that the caller gives does not count.",
            otherwise: "code that sorts or expires by date finds none",
            source: "Semantics, Computed attributes"
        ) { bench in
            let longAgo = Date(timeIntervalSince1970: 0)
            try bench.add(SecItemBench.password(more: [kSecAttrCreationDate: longAgo]), SecItemBench.secret)
            let (created, modified) = try bench.dates()
            try bench.expect(
                created == modified && created != longAgo,
                "two equal dates, which are not the caller's",
                got: "\(created) and \(modified)",
                of: SecItemBench.copying(SecItemBench.password())
            )
        },
        SecItemRule(
            "an update moves the modification date",
            "An update makes the modification date later, also within one tick of the clock, and keeps the creation date.",
            otherwise: "code that looks for the newer of two finds the wrong one",
            source: "Semantics, Updating items"
        ) { bench in
            try bench.add(SecItemBench.password(), SecItemBench.secret)
            let before = try bench.dates()
            try bench.update(SecItemBench.password(), to: SecItemBench.otherSecret)
            let after = try bench.dates()
            try bench.expect(
                after.modified > before.modified && after.created == before.created,
                "a later modification date, and the same creation date",
                got: "\(before) and then \(after)",
                of: SecItemBench.copying(SecItemBench.password())
            )
        },
        SecItemRule(
            "accessible when unlocked unless said",
            "An item that is added without kSecAttrAccessible has kSecAttrAccessibleWhenUnlocked, and says so.",
            otherwise: "that a background task cannot read its token shows on a device alone",
            source: "Semantics, Computed attributes and Protection levels"
        ) { bench in
            try bench.add(SecItemBench.password())
            try bench.expect(
                kSecAttrAccessible,
                kSecAttrAccessibleWhenUnlocked as String,
                named: "kSecAttrAccessibleWhenUnlocked",
                in: SecItemBench.password()
            )
        },
        SecItemRule(
            "defaults come back",
            "The attributes that come back have those that were not given: an empty service, kSecAttrSynchronizable 0.",
            otherwise: "code that force-unwraps an attribute finds none on one of them",
            source: "Semantics, Attributes of each class and Result of a copy"
        ) { bench in
            let query: SecItemBench.Attributes = [kSecClass: kSecClassGenericPassword, kSecAttrAccount: "ada"]
            try bench.add(query)
            let attributes = try bench.attributes(query)
            try bench.expect(
                attributes[kSecAttrService as String] as? String == ""
                    && (attributes[kSecAttrSynchronizable as String] as? NSNumber)?.intValue == 0,
                "kSecAttrService \"\" and kSecAttrSynchronizable 0",
                got: attributes,
                of: SecItemBench.copying(query)
            )
        },
        SecItemRule(
            "attributes find the item again",
            "What a copy returns as attributes, with the class, is a query that finds the item.",
            otherwise: "code that lists items and then acts on each finds none of them",
            source: "Semantics, Result of a copy"
        ) { bench in
            try bench.add(SecItemBench.password(more: [kSecAttrLabel: "label"]), SecItemBench.secret)
            var query: SecItemBench.Attributes = [kSecClass: kSecClassGenericPassword]
            for (key, value) in try bench.attributes(SecItemBench.password()) where key != "sha1" {
                query[key as CFString] = value
            }
            try bench.copy(query)
        },
    ]
}

extension SecItemBench {
    fileprivate func dates() throws -> (created: Date, modified: Date) {
        let attributes = try attributes(Self.password())
        guard let created = attributes[kSecAttrCreationDate as String] as? Date,
            let modified = attributes[kSecAttrModificationDate as String] as? Date
        else {
            throw mismatch(Self.copying(Self.password()), expected: "cdat and mdat", got: Self.shape(attributes))
        }
        return (created, modified)
    }
}
