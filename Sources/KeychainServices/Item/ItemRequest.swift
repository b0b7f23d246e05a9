// SPDX-License-Identifier: Apache-2.0

package import Foundation
package import KeychainCore

/// The item functions for code that wants the reason of a failure, and the set that they do not have.
package enum ItemRequest {
    /// As `SecItemAdd`.
    package static func add(
        _ attributes: NSDictionary,
        in context: KeychainContext
    ) throws(KeychainError) -> AnyObject? {
        try ItemCall.answer(.add(PropertyDictionary(attributes)), in: context).object
    }

    /// As `SecItemCopyMatching`.
    package static func copyMatching(
        _ query: NSDictionary,
        in context: KeychainContext
    ) throws(KeychainError) -> AnyObject? {
        try ItemCall.answer(.copyMatching(PropertyDictionary(query)), in: context).object
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
        _ = try ItemCall.answer(operation, in: context)
    }

    /// As `SecItemDelete`.
    package static func delete(_ query: NSDictionary, in context: KeychainContext) throws(KeychainError) {
        _ = try ItemCall.answer(.delete(PropertyDictionary(query)), in: context)
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
        _ = try ItemCall.answer(operation, in: context)
    }
}
