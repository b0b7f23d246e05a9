// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// An item found by a search, without its secret.
struct StoredItem: Sendable {
    let itemClass: ItemClass

    /// The keychain that has it.
    let store: any ItemStore

    /// Its attributes, by name.
    let attributes: [String: PropertyValue]

    /// The persistent reference; for an item in a keychain file, its identifier.
    private let reference: SecretBytes

    /// Creates an item from a result of the keychain; `nil` if it has no reference.
    init?(_ itemClass: ItemClass, _ value: ResultValue, in store: any ItemStore) {
        guard case .dictionary(let attributes) = value,
            case .data(let reference)? = attributes[PropertyKey.valuePersistentReference]
        else { return nil }
        self.itemClass = itemClass
        self.store = store
        self.reference = reference
        self.attributes = attributes
    }

    /// An item of a keychain file.
    init(_ item: KeychainFileItem, in store: any ItemStore) {
        itemClass = item.itemClass
        self.store = store
        reference = SecretBytes(item.identifier.bytes)
        attributes = item.attributes
    }

    subscript(name: AttributeName) -> PropertyValue? { attributes[name.description] }

    /// Whether this and another are the same item in the same keychain.
    func isSameItem(as other: StoredItem) -> Bool {
        itemClass == other.itemClass && reference == other.reference && store.path == other.store.path
    }

    /// The identifier of an item in a keychain file.
    var identifier: Bytes16 { Bytes16(reference.unprotectedCopy) ?? .zero }

    /// A query that matches exactly this item of the data protection keychain.
    var query: PropertyDictionary {
        [
            PropertyKey.itemClass: .string(itemClass.rawValue),
            PropertyKey.valuePersistentReference: .data(reference),
        ]
    }

    /// The label; `nil` if there is none, or it is not text.
    var label: String? {
        guard case .string(let label)? = self[.label] else { return nil }
        return label
    }

    /// The bytes of an attribute; empty if it is absent.
    func bytes(_ name: AttributeName) -> [UInt8] { AttributeBlock.bytes(self[name]) ?? [] }

    /// The attributes that distinguish items, except the group and synchronizability, which macOS does not have.
    ///
    /// As bytes, because strings and data are the same if their bytes are; 0 and an absent value are also the same.
    var keyWithinKeychain: [[UInt8]] {
        ItemSchema.of(itemClass).primaryKey.filter { !Self.unknownToMacOS.contains($0.name) }.map { column in
            let bytes = AttributeBlock.bytes(self[column.name]) ?? []
            return bytes.allSatisfy { $0 == 0 } ? [] : bytes
        }
    }

    /// The values of these attributes, with defaults for absent ones.
    var identifyingValues: [String: PropertyValue] {
        let columns = ItemSchema.of(itemClass).primaryKey.filter { !Self.unknownToMacOS.contains($0.name) }
        return Dictionary(
            uniqueKeysWithValues: columns.compactMap { column in
                (self[column.name] ?? column.defaultValue?.property).map { (column.name.description, $0) }
            }
        )
    }

    private static let unknownToMacOS: Set<AttributeName> = [.accessGroup, .synchronizable]

    /// The item's modification date.
    var modificationDate: Timestamp {
        guard case .date(let date)? = self[.modificationDate] else { return .referenceDate }
        return date
    }

    var isInCommonGroup: Bool { self[.accessGroup] == .string(Client.commonGroup) }
}
