// SPDX-License-Identifier: Apache-2.0

package import Foundation
package import KeychainCore

/// The item functions for code that needs the reason of a failure, and the additional set operation.
package enum ThrowingItemFunctions {
    /// As `SecItemAdd`.
    package static func add(
        _ attributes: NSDictionary,
        in context: KeychainContext
    ) throws(KeychainError) -> AnyObject? {
        try ItemCall.object(.add(PropertyDictionary(attributes)), in: context)
    }

    /// As `SecItemCopyMatching`.
    package static func copyMatching(
        _ query: NSDictionary,
        in context: KeychainContext
    ) throws(KeychainError) -> AnyObject? {
        try ItemCall.object(.copyMatching(PropertyDictionary(query)), in: context)
    }

    /// As `SecItemUpdate`.
    package static func update(
        _ query: NSDictionary,
        _ attributes: NSDictionary,
        in context: KeychainContext
    ) throws(KeychainError) {
        let operation = KeychainRequest.Operation.update(
            PropertyDictionary(query),
            attributes: PropertyDictionary(attributes)
        )
        try ItemCall.object(operation, in: context)
    }

    /// As `SecItemDelete`.
    package static func delete(_ query: NSDictionary, in context: KeychainContext) throws(KeychainError) {
        try ItemCall.object(.delete(PropertyDictionary(query)), in: context)
    }

    /// As `SecItemUpdate`, and as `SecItemAdd` when nothing matches, in one transaction.
    package static func set(
        _ query: NSDictionary,
        _ attributes: NSDictionary,
        orAdd addition: NSDictionary,
        in context: KeychainContext
    ) throws(KeychainError) {
        let operation = KeychainRequest.Operation.set(
            PropertyDictionary(query),
            attributes: PropertyDictionary(attributes),
            addition: PropertyDictionary(addition)
        )
        try ItemCall.object(operation, in: context)
    }
}
