// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// The login keychain of a user whose login keychain includes the data protection keychain, for calls on file-based
/// keychains alone: it is behind the files, or replaces the missing file.
struct LoginKeychain {
    private let preferences: KeychainPreferences

    init(_ preferences: KeychainPreferences) { self.preferences = preferences }

    /// Whether an add stores in the data protection keychain: that is the named keychain, or the default one.
    func isTarget(of dictionary: PropertyDictionary) throws(KeychainError) -> Bool {
        if case .keychain(let path)? = dictionary[PropertyKey.useKeychain] {
            return preferences.place(of: path) == .dataProtection
        }
        return try preferences.defaultKeychain().map(preferences.place) == .dataProtection
    }

    /// Whether a search without a match continues in the data protection keychain.
    ///
    /// That is the case for a search by attributes, if the data protection keychain is in the search list.
    func isSearched(by operation: KeychainRequest.Operation) throws(KeychainError) -> Bool {
        let query = operation.mainDictionary
        guard Self.keysOfObjects.allSatisfy({ query[$0] == nil }) else { return false }
        guard case .array(let list)? = query[PropertyKey.matchSearchList] else {
            return try preferences.searched().contains(.dataProtection)
        }
        let paths = list.compactMap { if case .keychain(let path) = $0 { path } else { nil } }
        return preferences.searched(in: paths).contains(.dataProtection)
    }

    private static let keysOfObjects = [
        PropertyKey.valueReference, PropertyKey.valuePersistentReference, PropertyKey.useItemList,
        PropertyKey.matchItemList,
    ]

    /// Performs a call for files in the data protection keychain: an update or a delete affects as many items as in a
    /// file.
    func ask(
        _ operation: KeychainRequest.Operation,
        _ perform: (KeychainRequest.Operation) throws(KeychainError) -> KeychainAnswer
    ) throws(KeychainError) -> KeychainAnswer {
        switch operation {
        case .add, .copyMatching, .set: return try perform(operation)
        case .update(let query, let attributes):
            for item in try items(query, perform) { _ = try perform(.update(item, attributes: attributes)) }
        case .delete(let query):
            for item in try items(query, perform) { _ = try perform(.delete(item)) }
        }
        return .nothing
    }

    /// The items that a query finds, each as a query of its own.
    private func items(
        _ query: PropertyDictionary,
        _ perform: (KeychainRequest.Operation) throws(KeychainError) -> KeychainAnswer
    ) throws(KeychainError) -> [PropertyDictionary] {
        var search = query
        for key in [PropertyKey.returnData, PropertyKey.returnAttributes, PropertyKey.returnReference] {
            search[key] = nil
        }
        search[PropertyKey.returnPersistentReference] = .boolean(true)
        return try perform(.copyMatching(search)).values.compactMap { value in
            guard case .data(let reference) = value else { return nil }
            var item: PropertyDictionary = [:]
            item[PropertyKey.itemClass] = query[PropertyKey.itemClass]
            item[PropertyKey.valuePersistentReference] = .data(reference)
            return item
        }
    }
}
