// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// The macOS front end, which removes some keys before the data protection keychain sees them
/// (specification, section 3.7).
enum MacOSFrontEnd {
    /// The request as it reaches the keychain.
    static func prune(_ operation: KeychainRequest.Operation) -> KeychainRequest.Operation {
        switch operation {
        case .add(let dictionary):
            .add(pruneAddition(dictionary))
        case .copyMatching(let dictionary):
            .copyMatching(
                removing([PropertyKey.matchSearchList, PropertyKey.valueData].contains, from: common(dictionary))
            )
        case .update(let query, let attributes):
            .update(removing(isNotForChanges, from: common(query)), attributes: removingDates(attributes))
        case .delete(let dictionary):
            .delete(removing(isNotForChanges, from: common(dictionary)))
        case .set(let query, let attributes, let addition):
            .set(
                removing(isNotForChanges, from: common(query)),
                attributes: removingDates(attributes),
                addition: pruneAddition(addition)
            )
        }
    }

    private static func pruneAddition(_ dictionary: PropertyDictionary) -> PropertyDictionary {
        removing(addMatchKeys.contains, from: common(dictionary))
    }

    private static let addMatchKeys: Set<String> = [
        PropertyKey.matchPolicy, PropertyKey.matchItemList, PropertyKey.matchSearchList, PropertyKey.matchIssuers,
        PropertyKey.matchEmailAddressIfPresent, PropertyKey.matchSubjectContains, PropertyKey.matchCaseInsensitive,
        PropertyKey.matchTrustedOnly, PropertyKey.matchValidOnDate, PropertyKey.matchLimit,
    ]

    private static func isNotForChanges(_ key: String) -> Bool {
        key.utf16.count != 4 && (key.hasPrefix("m_") || key.hasPrefix("r_")) || key == PropertyKey.valueData
    }

    /// What goes from every query and from the dictionary of an add.
    private static func common(_ dictionary: PropertyDictionary) -> PropertyDictionary {
        var dictionary = removingDates(dictionary)
        dictionary[PropertyKey.useKeychain] = nil
        dictionary["acls"] = nil
        if dictionary[PropertyKey.valuePersistentReference] != nil {
            dictionary[AttributeName.synchronizable.description] = nil
        }
        return dictionary
    }

    private static func removingDates(_ dictionary: PropertyDictionary) -> PropertyDictionary {
        var dictionary = dictionary
        dictionary[AttributeName.modificationDate.description] = nil
        return dictionary
    }

    private static func removing(
        _ isRemoved: (String) -> Bool,
        from dictionary: PropertyDictionary
    ) -> PropertyDictionary {
        PropertyDictionary(
            dictionary.entries.filter { !isRemoved($0.key) },
            hasForeignKey: dictionary.hasForeignKey
        )
    }
}
