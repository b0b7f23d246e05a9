// swift-format-ignore-file: AlwaysUseLowerCamelCase
// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import KeychainKeys
import KeychainMacFrontEnd
import Synchronization

/// A search of keychain files, which returns its items one by one.
public final class SecKeychainSearch: Sendable {
    private let query: PropertyDictionary

    /// The remaining results; `nil` before the first item is requested.
    private let items = Mutex<[KeychainItemReference]?>(nil)

    init(_ query: PropertyDictionary) { self.query = query }

    /// The next item.
    ///
    /// - Throws: `errSecItemNotFound` at the end.
    func next(_ files: FileBasedKeychain) throws(KeychainError) -> SecKeychainItem {
        try items.withLock { (items) throws(KeychainError) in
            let rest: [KeychainItemReference]
            if let items { rest = items } else { rest = try found(files) }
            items = Array(rest.dropFirst())
            guard let item = rest.first else { throw KeychainError(.itemNotFound, "the search has no more items") }
            return SecKeychainItem(item)
        }
    }

    private func found(_ files: FileBasedKeychain) throws(KeychainError) -> [KeychainItemReference] {
        let values = try KeychainAnswer.values { () throws(KeychainError) in try files.item(.copyMatching(query)) }
        return values.compactMap { value in
            if case .data(let reference) = value { FileBasedKeychain.item(reference) } else { nil }
        }
    }
}

/// Starts a search of keychain files.
///
/// - Parameters:
///   - keychainOrArray: a `SecKeychain`, or an array of them; those of the search list for `nil`.
///   - itemClass: the class of the items.
///   - attrList: required attributes of the items; `nil` for none.
///   - searchRef: receives the search.
/// - Returns: `errSecSuccess`, also if nothing will be found; `errSecNoSuchAttr`, and `errSecParam` for an array of
///   other objects.
@discardableResult
public func SecKeychainSearchCreateFromAttributes(
    _ keychainOrArray: CFTypeRef?,
    _ itemClass: SecItemClass,
    _ attrList: UnsafePointer<SecKeychainAttributeList>?,
    _ searchRef: UnsafeMutablePointer<SecKeychainSearch?>
) -> OSStatus {
    FileCall.status { (files) throws(KeychainError) in
        var query = PropertyDictionary(try attrList?.pointee.entries() ?? [:])
        query[PropertyKey.itemClass] = .string(itemClass.itemClass.rawValue)
        query[AttributeName.keyClass.description] = itemClass.keyClass
        query[PropertyKey.matchLimit] = .string(PropertyKey.matchLimitAll)
        query[PropertyKey.returnPersistentReference] = .boolean(true)
        if let keychainOrArray {
            query[PropertyKey.matchSearchList] = try files.searchList(keychainOrArray)
        }
        searchRef.pointee = SecKeychainSearch(query)
    }
}

/// The next item of a search.
///
/// - Parameters:
///   - searchRef: the search.
///   - itemRef: receives the item.
/// - Returns: `errSecSuccess`; `errSecItemNotFound` if there are no more items.
@discardableResult
public func SecKeychainSearchCopyNext(
    _ searchRef: SecKeychainSearch,
    _ itemRef: UnsafeMutablePointer<SecKeychainItem?>
) -> OSStatus {
    FileCall.status { (files) throws(KeychainError) in
        itemRef.pointee = try searchRef.next(files)
    }
}

extension SecItemClass {
    /// The requested class of keys; `nil` if it is not a key.
    fileprivate var keyClass: PropertyValue? {
        switch self {
        case .publicKeyItemClass: .string(KeyClass.public)
        case .privateKeyItemClass: .string(KeyClass.private)
        case .symmetricKeyItemClass: .string(KeyClass.symmetric)
        case .internetPasswordItemClass, .genericPasswordItemClass, .certificateItemClass: nil
        }
    }
}
