// swift-format-ignore-file: AlwaysUseLowerCamelCase
// SPDX-License-Identifier: Apache-2.0

public import Foundation
import KeychainCore

/// Adds an item to the keychain; durable when it returns.
///
/// - Parameters:
///   - attributes: the class, attributes and secret, and what to return (Semantics, "Classes and attributes" and
///     "Validation").
///   - result: receives what the `kSecReturn…` keys request; left alone on failure.
/// - Returns: `errSecSuccess`, or for example `errSecDuplicateItem`, `errSecParam`, `errSecNoSuchAttr`,
///   `errSecMissingEntitlement`; `errSecDecode` for a number that is not whole, as from the other functions.
@discardableResult
public func SecItemAdd(_ attributes: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus {
    ItemCall.perform(.add(PropertyDictionary(attributes)), result)
}

/// Finds items, and returns what was requested of them.
///
/// - Parameters:
///   - query: which items, how many, and what to return (Semantics, "Validation" and "Limits and results").
///   - result: receives a value, a list of values, or nothing; left alone on failure.
/// - Returns: `errSecSuccess`, or for example `errSecItemNotFound`, `errSecInteractionNotAllowed`, `errSecParam`.
@discardableResult
public func SecItemCopyMatching(_ query: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus {
    ItemCall.perform(.copyMatching(PropertyDictionary(query)), result)
}

/// Changes every item that matches, or none; durable when it returns.
///
/// - Parameters:
///   - query: which items.
///   - attributesToUpdate: the new values (Semantics, "New attributes of an update").
/// - Returns: `errSecSuccess`, or for example `errSecItemNotFound`, `errSecDuplicateItem`, `errSecNoSuchAttr`.
@discardableResult
public func SecItemUpdate(_ query: CFDictionary, _ attributesToUpdate: CFDictionary) -> OSStatus {
    ItemCall.perform(
        .update(PropertyDictionary(query), attributes: PropertyDictionary(attributesToUpdate)),
        nil
    )
}

/// Deletes every item that matches; durable when it returns.
///
/// - Parameter query: which items.
/// - Returns: `errSecSuccess`, or for example `errSecItemNotFound`, `errSecParam`.
@discardableResult
public func SecItemDelete(_ query: CFDictionary) -> OSStatus {
    ItemCall.perform(.delete(PropertyDictionary(query)), nil)
}
