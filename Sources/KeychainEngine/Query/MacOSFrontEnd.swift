// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// The macOS front end, which removes some keys before the data protection keychain sees them
/// (Semantics, "Keys that the macOS front end removes").
///
/// A key that is removed is not looked at, whatever its value. The attributes of an update stay as they are.
enum MacOSFrontEnd {
    /// The request as it reaches the keychain.
    static func prune(_ operation: KeychainRequest.Operation) -> KeychainRequest.Operation {
        switch operation {
        case .add(let dictionary):
            .add(pruned(dictionary, of: matchKeys))
        case .copyMatching(let dictionary):
            .copyMatching(pruned(dictionary, of: [PropertyKey.valueData]))
        case .update(let query, let attributes):
            .update(pruned(query, of: keysOfNoChange), attributes: attributes)
        case .delete(let dictionary):
            .delete(pruned(dictionary, of: keysOfNoChange))
        case .set(let query, let attributes, let addition):
            .set(
                pruned(query, of: keysOfNoChange),
                attributes: attributes,
                addition: pruned(addition, of: matchKeys)
            )
        }
    }

    /// What goes from every query and from the dictionary of an add.
    private static let commonKeys: Set<String> = [
        PropertyKey.useDataProtectionKeychain, PropertyKey.useKeychain, "acls", PropertyKey.matchSearchList,
        AttributeName.modificationDate.description,
    ]

    /// The match keys that go from all but a copy; others reach the keychain.
    private static let matchKeys: Set<String> = [
        PropertyKey.matchPolicy, PropertyKey.matchItemList, PropertyKey.matchSearchList, PropertyKey.matchIssuers,
        PropertyKey.matchEmailAddressIfPresent, PropertyKey.matchSubjectContains, PropertyKey.matchCaseInsensitive,
        PropertyKey.matchTrustedOnly, PropertyKey.matchValidOnDate, PropertyKey.matchLimit,
        PropertyKey.matchLimitOne, PropertyKey.matchLimitAll,
    ]

    /// What goes from the query of an update and from a delete.
    private static let keysOfNoChange = matchKeys.union([
        PropertyKey.returnAttributes, PropertyKey.returnData, PropertyKey.returnPersistentReference,
        PropertyKey.returnReference, PropertyKey.valueData,
    ])

    private static func pruned(_ dictionary: PropertyDictionary, of keys: Set<String>) -> PropertyDictionary {
        let isByReference = dictionary[PropertyKey.valuePersistentReference] != nil
        let entries = dictionary.entries.filter { key, _ in
            !commonKeys.contains(key) && !keys.contains(key)
                && !(isByReference && key == AttributeName.synchronizable.description)
        }
        return PropertyDictionary(entries, foreignKeys: dictionary.foreignKeys)
    }
}
