// SPDX-License-Identifier: Apache-2.0

/// The keys that the macOS front end removes from a dictionary for one of the two keychains (Semantics, "Keys that the
/// macOS front end removes").
///
/// A removed key is not validated, regardless of its value. The attributes of an update stay as they are.
package enum FrontEndKeys {
    /// A call of a client as the data protection keychain gets it.
    package static func forDataProtection(
        _ operation: KeychainRequest.Operation,
        of client: Client
    ) -> KeychainRequest.Operation {
        operation.mapDictionaries { dictionary, function in
            var result = forDataProtection(dictionary, function)
            if function == .add, let group = groupOfAccounts(dictionary, client) {
                result[AttributeName.accessGroup.description] = .string(group)
            }
            return result
        }
    }

    /// The application group of the programs that keep the user's accounts at Internet services.
    private static let accountPrograms = "InternetAccounts"

    /// The access group that an add with an access object gets from such a program; `nil` for every other add.
    private static func groupOfAccounts(_ dictionary: PropertyDictionary, _ client: Client) -> String? {
        guard client.accessGroups.contains(accountPrograms), dictionary[PropertyKey.access] != nil,
            dictionary[AttributeName.accessGroup.description] == nil
        else { return nil }
        let isOfWebForm = dictionary["atyp"] == .string("form")
        return isOfWebForm ? "com.apple.cfnetwork" : "appleaccount"
    }

    /// The dictionary of an add, a copy or a delete, or the query of an update, for the data protection keychain.
    ///
    /// A reference with a recorded reference of the data protection keychain is replaced by that one.
    package static func forDataProtection(
        _ dictionary: PropertyDictionary,
        _ function: ItemFunction
    ) -> PropertyDictionary {
        var dictionary = dictionary
        if case .reference(.keychainItem(let item))? = dictionary[PropertyKey.valueReference],
            let reference = item.dataProtectionReference
        {
            dictionary[PropertyKey.valueReference] = nil
            dictionary[PropertyKey.valuePersistentReference] = .data(reference)
        }
        let isByReference = dictionary[PropertyKey.valuePersistentReference] != nil
        return dictionary.removing { key in
            removedForDataProtection.contains(key) || keysOf(function).contains(key)
                || isByReference && key == AttributeName.synchronizable.description
        }
    }

    /// A call as the file-based keychains get it.
    package static func forFiles(_ operation: KeychainRequest.Operation) -> KeychainRequest.Operation {
        operation.mapDictionaries(forFiles)
    }

    /// The dictionary of an add, a copy or a delete, or the query of an update, as the file-based keychains get it.
    package static func forFiles(_ dictionary: PropertyDictionary, _ function: ItemFunction) -> PropertyDictionary {
        dictionary.removing { key in
            if removedForFiles.contains(key) { return true }
            switch function {
            case .add: return false
            case .copyMatching: return [PropertyKey.access, PropertyKey.valueData].contains(key)
            case .update, .delete:
                return key == PropertyKey.access || key == PropertyKey.valueData || returnKeys.contains(key)
            }
        }
    }

    /// The keys to remove from every query and from the dictionary of an add for the data protection keychain.
    private static let removedForDataProtection: Set<String> = [
        PropertyKey.useDataProtectionKeychain, PropertyKey.useKeychain, PropertyKey.access,
        PropertyKey.matchSearchList, AttributeName.modificationDate.description,
    ]

    /// The keys to remove from every query and from the dictionary of an add for the file-based keychains.
    package static let removedForFiles: Set<String> = [
        PropertyKey.useDataProtectionKeychain, AttributeName.accessible.description,
        AttributeName.accessControl.description, AttributeName.accessGroup.description,
        AttributeName.synchronizable.description, AttributeName.tombstone.description,
    ]

    /// The match keys that go from all but a copy; others reach the data protection keychain.
    package static let matchKeys: Set<String> = [
        PropertyKey.matchPolicy, PropertyKey.matchItemList, PropertyKey.matchSearchList, PropertyKey.matchIssuers,
        PropertyKey.matchEmailAddressIfPresent, PropertyKey.matchSubjectContains, PropertyKey.matchCaseInsensitive,
        PropertyKey.matchTrustedOnly, PropertyKey.matchValidOnDate, PropertyKey.matchLimit,
        PropertyKey.matchLimitOne, PropertyKey.matchLimitAll,
    ]

    /// The keys that specify the wanted results.
    package static let returnKeys: Set<String> = [
        PropertyKey.returnAttributes, PropertyKey.returnData, PropertyKey.returnPersistentReference,
        PropertyKey.returnReference,
    ]

    /// The keys to remove from the query of an update and from a delete.
    private static let keysOfNoChange = matchKeys.union(returnKeys).union([PropertyKey.valueData])

    private static func keysOf(_ function: ItemFunction) -> Set<String> {
        switch function {
        case .add: matchKeys
        case .copyMatching: [PropertyKey.valueData]
        case .update, .delete: keysOfNoChange
        }
    }
}

extension KeychainRequest {
    /// The call as the data protection keychain of the client's platform gets it.
    package var operationForDataProtection: Operation {
        client.profile == .macOS ? FrontEndKeys.forDataProtection(operation, of: client) : operation
    }
}

extension KeychainRequest.Operation {
    /// The call with other queries; the attributes of an update stay.
    fileprivate func mapDictionaries(
        _ change: (PropertyDictionary, ItemFunction) -> PropertyDictionary
    ) -> KeychainRequest.Operation {
        switch self {
        case .add(let dictionary): .add(change(dictionary, .add))
        case .copyMatching(let query): .copyMatching(change(query, .copyMatching))
        case .update(let query, let attributes): .update(change(query, .update), attributes: attributes)
        case .delete(let query): .delete(change(query, .delete))
        case .set(let query, let attributes, let addition):
            .set(change(query, .update), attributes: attributes, addition: change(addition, .add))
        }
    }
}

extension PropertyDictionary {
    /// The dictionary without some keys.
    package func removing(_ isRemoved: (String) -> Bool) -> PropertyDictionary {
        PropertyDictionary(entries.filter { !isRemoved($0.key) }, foreignKeys: foreignKeys)
    }
}
