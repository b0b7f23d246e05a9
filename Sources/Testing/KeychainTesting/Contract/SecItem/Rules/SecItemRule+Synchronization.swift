// SPDX-License-Identifier: Apache-2.0

import PortableSecurity

extension SecItemRule {
    /// Which calls match synchronizable items.
    static let synchronization = [
        SecItemRule(
            "synchronizable items are apart",
            "A synchronizable and a local item of the same key are two.",
            otherwise: "the release that turns synchronization on loses or doubles items",
            source: "Semantics, Synchronizable items"
        ) { bench in
            try bench.addBoth()
            try bench.expect(Data("secret".utf8), in: SecItemBench.password(), because: "the data of the local item")
        },
        SecItemRule(
            "synchronizable items only when asked",
            "A query that says nothing of it, or false, finds local items alone, one that says true finds synchronizable ones alone; kSecAttrSynchronizableAny finds both.",
            otherwise: "code that forgets the attribute finds its synchronized items in the test alone",
            source: "Semantics, Synchronizable items"
        ) { bench in
            let item = SecItemBench.password()
            try bench.add(SecItemBench.password(more: [kSecAttrSynchronizable: true]), SecItemBench.otherSecret)
            try bench.copy(item, gives: errSecItemNotFound)
            try bench.copy(item, [kSecAttrSynchronizable: false], gives: errSecItemNotFound)
            try bench.delete(item, gives: errSecItemNotFound)
            try bench.update(item, to: SecItemBench.secret, gives: errSecItemNotFound)
            try bench.add(item, SecItemBench.secret)
            try bench.expectCounts(item)
            try bench.expect(
                Data("another".utf8),
                in: SecItemBench.password(more: [kSecAttrSynchronizable: true]),
                because: "the data of the synchronizable item"
            )
        },
        SecItemRule(
            "an update changes synchronizable items only when asked",
            "An update that says nothing of it changes the local item alone, one that says true the synchronizable one alone; kSecAttrSynchronizableAny changes both.",
            otherwise: "a new password is changed on one device, or on all of them, other than in the test",
            source: "Semantics, Updating items and Synchronizable items"
        ) { bench in
            try bench.addBoth()
            let item = SecItemBench.password()
            try bench.update(item, to: [kSecAttrLabel: "local"])
            try bench.expectLabels(local: "local", synchronizable: nil)
            let synchronizable = SecItemBench.password(more: [kSecAttrSynchronizable: true])
            try bench.update(synchronizable, to: [kSecAttrLabel: "synchronizable"])
            try bench.expectLabels(local: "local", synchronizable: "synchronizable")
            let both = SecItemBench.password(more: [kSecAttrSynchronizable: kSecAttrSynchronizableAny])
            try bench.update(both, to: [kSecAttrLabel: "both"])
            try bench.expectLabels(local: "both", synchronizable: "both")
        },
        SecItemRule(
            "a delete takes synchronizable items only when asked",
            "A delete that says nothing of it takes the local item alone, one that says true the synchronizable one alone; kSecAttrSynchronizableAny takes both.",
            otherwise:
                "signing out leaves the synchronized password behind, or takes it from every device, in one of both",
            source: "Semantics, Deleting items and Synchronizable items"
        ) { bench in
            let item = SecItemBench.password()
            let synchronizable = SecItemBench.password(more: [kSecAttrSynchronizable: true])
            let both = SecItemBench.password(more: [kSecAttrSynchronizable: kSecAttrSynchronizableAny])
            try bench.addBoth()
            try bench.delete(item)
            try bench.expect(1, matching: synchronizable, because: "only the local item is deleted")
            try bench.add(item)
            try bench.delete(synchronizable)
            try bench.expect(1, matching: both, because: "only the synchronizable item is deleted")
            try bench.copy(item)
            try bench.add(synchronizable)
            try bench.delete(both)
            try bench.expect(0, matching: both, because: "both are deleted")
        },
        SecItemRule(
            "an update makes an item synchronizable",
            "An update may change kSecAttrSynchronizable: the item is a synchronizable one, and no local one any more.",
            otherwise: "the release that turns synchronization on leaves the items that are there on their device",
            source: "Semantics, Updating items and Synchronizable items"
        ) { bench in
            try bench.add(SecItemBench.password(), SecItemBench.secret)
            try bench.update(SecItemBench.password(), to: [kSecAttrSynchronizable: true])
            try bench.copy(SecItemBench.password(), gives: errSecItemNotFound)
            try bench.expect(
                Data("secret".utf8),
                in: SecItemBench.password(more: [kSecAttrSynchronizable: true]),
                because: "the data of the item"
            )
        },
    ]
}

extension SecItemBench {
    fileprivate func addBoth() throws {
        try add(Self.password(), Self.secret)
        try add(Self.password(more: [kSecAttrSynchronizable: true]), Self.otherSecret)
    }

    /// Expects one local and one synchronizable item, counted by the attribute of the query.
    fileprivate func expectCounts(_ item: Attributes) throws {
        try expect(1, matching: item, because: "the local item")
        for (value, count) in [(false, 1), (true, 1), (kSecAttrSynchronizableAny, 2)] as [(Any, Int)] {
            let query = item.merging([kSecAttrSynchronizable: value]) { $1 }
            try expect(count, matching: query, because: "a local and a synchronizable item were added")
        }
    }

    fileprivate func expectLabels(local: String, synchronizable: String?) throws {
        for (value, label) in [(false, local), (true, synchronizable)] {
            let query = Self.password(more: [kSecAttrSynchronizable: value])
            let got = try attributes(query)[kSecAttrLabel as String] as? String
            let expected = label.map { "the label \($0)" } ?? "no label"
            try expect(got == label, expected, got: got, of: Self.copying(query))
        }
    }
}
