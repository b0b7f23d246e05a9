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

    /// The attributes that tell items apart, but for the group and what is synchronized; macOS has neither.
    ///
    /// As bytes, because strings and data are the same when their bytes are; 0 and nothing are the same as well.
    var keyWithinKeychain: [[UInt8]] {
        ItemSchema.of(itemClass).primaryKey.filter { !Self.unknownToMacOS.contains($0.name) }.map { column in
            let bytes = AttributeBlock.bytes(self[column.name]) ?? []
            return bytes.allSatisfy { $0 == 0 } ? [] : bytes
        }
    }

    private static let unknownToMacOS: Set<AttributeName> = [.accessGroup, .synchronizable]

    /// When the item was changed last.
    var modificationDate: Timestamp {
        guard case .date(let date)? = self[.modificationDate] else { return .referenceDate }
        return date
    }

    var isInCommonGroup: Bool { self[.accessGroup] == .string(Client.commonGroup) }
}
