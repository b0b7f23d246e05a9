// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// An item that was found, without its secret.
struct StoredItem: Sendable {
    let itemClass: ItemClass

    /// The keychain that has it.
    let store: any ItemStore

    /// What it has, by the names of attributes.
    let attributes: [String: PropertyValue]

    /// The persistent reference; of an item of a keychain file its identifier.
    private let reference: SecretBytes

    /// An item from the answer of the keychain; `nil` when it has no reference.
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

    /// Whether this and another are one item of one keychain.
    func isSameItem(as other: StoredItem) -> Bool {
        itemClass == other.itemClass && reference == other.reference && store.path == other.store.path
    }

    /// What identifies an item of a keychain file.
    var identifier: Bytes16 { Bytes16(reference.unprotectedCopy) ?? .zero }

    /// The query that means this item of the data protection keychain and no other.
    var query: PropertyDictionary {
        [
            PropertyKey.itemClass: .string(itemClass.rawValue),
            PropertyKey.valuePersistentReference: .data(reference),
        ]
    }

    /// The label; `nil` for none, or one that is not text.
    var label: String? {
        guard case .string(let label)? = self[.label] else { return nil }
        return label
    }

    /// The bytes of an attribute; none for one that is absent.
    func bytes(_ name: AttributeName) -> [UInt8] { AttributeBlock.bytes(self[name]) ?? [] }

    /// The attributes that tell items apart, but for the group and what is synchronized; macOS has neither.
    ///
    /// As bytes, because strings and data are the same when their bytes are; 0 and nothing are the same as well.
    var keyWithinKeychain: [[UInt8]] {
        ItemSchema.of(itemClass).primaryKey.filter { !Self.unknownToMacOS.contains($0.name) }.map { column in
            let bytes = AttributeBlock.bytes(self[column.name]) ?? []
            return bytes.allSatisfy { $0 == 0 } ? [] : bytes
        }
    }

    /// The values of these attributes; one that is absent has its default.
    var identifyingValues: [String: PropertyValue] {
        let columns = ItemSchema.of(itemClass).primaryKey.filter { !Self.unknownToMacOS.contains($0.name) }
        return Dictionary(
            uniqueKeysWithValues: columns.compactMap { column in
                (self[column.name] ?? column.defaultValue?.property).map { (column.name.description, $0) }
            }
        )
    }

    private static let unknownToMacOS: Set<AttributeName> = [.accessGroup, .synchronizable]

    /// When the item was changed last.
    var modificationDate: Timestamp {
        guard case .date(let date)? = self[.modificationDate] else { return .referenceDate }
        return date
    }

    var isInCommonGroup: Bool { self[.accessGroup] == .string(Client.commonGroup) }
}
