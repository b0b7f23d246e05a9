// swift-format-ignore-file: AlwaysUseLowerCamelCase
// SPDX-License-Identifier: Apache-2.0

public import Foundation
import KeychainCore

/// Adds an item to the keychain; durable when it returns.
///
/// - Parameters:
///   - attributes: the class, the attributes and the secret, and the requested results (Semantics, "Classes and
///     attributes" and "Validation").
///   - result: receives the results that the `kSecReturn…` keys request; unchanged on failure.
/// - Returns: `errSecSuccess`, or for example `errSecDuplicateItem`, `errSecParam`, `errSecNoSuchAttr`,
///   `errSecMissingEntitlement`; `errSecDecode` for a number that is not whole, as from the other functions.
@discardableResult
public func SecItemAdd(_ attributes: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus {
    ItemCall.perform(.add(PropertyDictionary(attributes)), result)
}

/// Finds items, and returns the requested results.
///
/// - Parameters:
///   - query: the items to find, their maximum number, and the requested results (Semantics, "Validation" and "Limits
///     and results").
///   - result: receives a value, a list of values, or nothing; unchanged on failure.
/// - Returns: `errSecSuccess`, or for example `errSecItemNotFound`, `errSecInteractionNotAllowed`, `errSecParam`.
@discardableResult
public func SecItemCopyMatching(_ query: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus {
    ItemCall.perform(.copyMatching(PropertyDictionary(query)), result)
}

/// Changes all matching items, or none; durable when it returns.
///
/// - Parameters:
///   - query: the items to change.
///   - attributesToUpdate: the new values (Semantics, "New attributes of an update").
/// - Returns: `errSecSuccess`, or for example `errSecItemNotFound`, `errSecDuplicateItem`, `errSecNoSuchAttr`.
@discardableResult
public func SecItemUpdate(_ query: CFDictionary, _ attributesToUpdate: CFDictionary) -> OSStatus {
    ItemCall.perform(
        .update(PropertyDictionary(query), attributes: PropertyDictionary(attributesToUpdate)),
        nil
    )
}

/// Deletes all matching items; durable when it returns.
///
/// - Parameter query: the items to delete.
/// - Returns: `errSecSuccess`, or for example `errSecItemNotFound`, `errSecParam`.
@discardableResult
public func SecItemDelete(_ query: CFDictionary) -> OSStatus {
    ItemCall.perform(.delete(PropertyDictionary(query)), nil)
}
