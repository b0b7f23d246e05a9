// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainMacFrontEnd

extension KeychainContext {
    /// The context with the keychain for a call.
    ///
    /// Without the macOS front end that is the data protection keychain, except for a call that names a keychain file
    /// or an item of one, and that the front end would send only to the files.
    func reaching(_ operation: KeychainRequest.Operation) -> KeychainContext {
        guard !hasFrontEnd, operation.mainDictionary.namesKeychainFile else { return self }
        let route = KeychainRoute(operation.mainDictionary, operation.function)
        guard route.reachesFile, !route.reachesDataProtection else { return self }
        var context = self
        context.backend = Self.frontEnd(backend, fileBased)
        return context
    }
}

extension PropertyDictionary {
    /// Whether a value is a keychain file or an item of one, alone or in an array.
    fileprivate var namesKeychainFile: Bool {
        Self.keysOfFiles.contains { self[$0]?.isOfKeychainFile ?? false }
    }

    private static let keysOfFiles = [
        PropertyKey.useKeychain, PropertyKey.matchSearchList, PropertyKey.useItemList, PropertyKey.matchItemList,
        PropertyKey.valueReference, PropertyKey.valuePersistentReference,
    ]
}

extension PropertyValue {
    fileprivate var isOfKeychainFile: Bool {
        switch self {
        case .keychain: true
        case .reference(.keychainItem(let item)): !item.keychain.isEmpty
        case .reference(.key(let key)): key.keychainItem != nil
        case .reference(.certificate(let certificate)): certificate.keychainItem != nil
        case .data(let bytes): FileBasedKeychain.item(bytes) != nil
        case .array(let members): members.contains(where: \.isOfKeychainFile)
        default: false
        }
    }
}
