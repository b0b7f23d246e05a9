// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// An item that was found, without its secret.
struct StoredItem: Sendable {
    let itemClass: ItemClass
    private let reference: SecretBytes
    private let attributes: [String: PropertyValue]

    /// An item from the answer of the keychain; `nil` when it has no reference.
    init?(_ itemClass: ItemClass, _ value: ResultValue) {
        guard case .dictionary(let attributes) = value,
            case .data(let reference)? = attributes[PropertyKey.valuePersistentReference]
        else { return nil }
        self.itemClass = itemClass
        self.reference = reference
        self.attributes = attributes
    }

    subscript(name: AttributeName) -> PropertyValue? { attributes[name.description] }

    /// The query that means this item and no other.
    var query: PropertyDictionary {
        [
            PropertyKey.itemClass: .string(itemClass.rawValue),
            PropertyKey.valuePersistentReference: .data(reference),
        ]
    }

    var isInCommonGroup: Bool { self[.accessGroup] == .string(Client.commonGroup) }
}
