// SPDX-License-Identifier: Apache-2.0

import PortableSecurity

extension SecItemRule {
    /// Access groups.
    static let groups = [
        SecItemRule(
            "an access group of its own accord",
            "An item that is added without an access group has the app's first one, and says so.",
            otherwise: "code that shares with an extension shares nothing on a device",
            source: "Semantics, Access groups"
        ) { bench in
            try bench.add(SecItemBench.password())
            try bench.expect(
                kSecAttrAccessGroup,
                KeychainContract.defaultAccessGroup,
                named: "kSecAttrAccessGroup \(KeychainContract.defaultAccessGroup)",
                in: SecItemBench.password()
            )
        },
        SecItemRule(
            "no access group is the default one",
            "An item that is added without an access group is found by a query that names the app's first one.",
            otherwise: "what one version stores is not found by the next, which names the app's own group",
            source: "Semantics, Access groups"
        ) { bench in
            try bench.add(SecItemBench.password(), SecItemBench.secret)
            let own: SecItemBench.Attributes = [kSecAttrAccessGroup: KeychainContract.defaultAccessGroup]
            try bench.expect(1, matching: SecItemBench.password(more: own), because: "the add named no group")
            try bench.delete(SecItemBench.password(more: own))
        },
        SecItemRule(
            "access groups are apart",
            "The same key in two access groups is two items; a query that names a group finds that of the group.",
            otherwise: "an app and its extension overwrite each other's item on one of both",
            source: "Semantics, Access groups"
        ) { bench in
            try bench.add(SecItemBench.password(), SecItemBench.secret)
            let shared: SecItemBench.Attributes = [kSecAttrAccessGroup: KeychainContract.sharedAccessGroup]
            try bench.copy(SecItemBench.password(), shared, gives: errSecItemNotFound)
            try bench.add(SecItemBench.password(more: shared), SecItemBench.otherSecret)
            try bench.expect(
                Data("another".utf8),
                in: SecItemBench.password(more: shared),
                because: "the data of the group"
            )
            try bench.expect(2, matching: SecItemBench.password(), because: "no group means every group of the app")
        },
        SecItemRule(
            "a foreign access group is refused",
            "To name an access group that the app is not entitled to is errSecMissingEntitlement (-34018), in every function.",
            otherwise: "a group that the signature lacks, or that has another team's prefix, shows on a device alone",
            source: "Semantics, Access groups"
        ) { bench in
            let foreign = SecItemBench.password(more: [kSecAttrAccessGroup: KeychainContract.foreignAccessGroup])
            try bench.add(foreign, gives: errSecMissingEntitlement)
            try bench.copy(foreign, gives: errSecMissingEntitlement)
            try bench.update(foreign, to: SecItemBench.secret, gives: errSecMissingEntitlement)
            try bench.delete(foreign, gives: errSecMissingEntitlement)
        },
        SecItemRule(
            "an update moves between access groups",
            "An update may change the access group: the item leaves the old one and is in the new one.",
            otherwise: "the release that shares its items leaves them where they were",
            source: "Semantics, Access groups"
        ) { bench in
            try bench.add(SecItemBench.password(), SecItemBench.secret)
            let shared: SecItemBench.Attributes = [kSecAttrAccessGroup: KeychainContract.sharedAccessGroup]
            try bench.update(SecItemBench.password(), to: shared)
            try bench.copy(SecItemBench.password(more: shared))
            try bench.copy(
                SecItemBench.password(more: [kSecAttrAccessGroup: KeychainContract.defaultAccessGroup]),
                gives: errSecItemNotFound
            )
        },
        SecItemRule(
            "no access group is all of them",
            "An update or a delete that names no access group takes what matches in every group of the app.",
            otherwise: "signing out leaves what is shared with an extension behind, in the test or on a device",
            source: "Semantics, Updating items, Deleting items and Access groups"
        ) { bench in
            let shared = SecItemBench.password(more: [kSecAttrAccessGroup: KeychainContract.sharedAccessGroup])
            try bench.add(SecItemBench.password(), SecItemBench.secret)
            try bench.add(shared, SecItemBench.secret)
            try bench.update(SecItemBench.password(), to: [kSecAttrLabel: "label"])
            let labelled = SecItemBench.password(more: [kSecAttrLabel: "label"])
            try bench.expect(2, matching: labelled, because: "the update was for every group of the app")
            try bench.delete(SecItemBench.password())
            try bench.copy(shared, gives: errSecItemNotFound)
        },
    ]
}
