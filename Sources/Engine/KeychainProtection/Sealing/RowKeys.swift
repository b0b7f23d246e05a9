// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// The keys that seal the rows of a store or a backup.
protocol RowKeys {
    /// The identifier to which its rows are bound.
    var storeIdentifier: Bytes16 { get }

    /// The minimum work that the header of an application password may specify.
    var floor: ScryptFloor { get }

    /// Whether the lookup attributes of rows are listed beside them: only in a store.
    var listsLookupAttributes: Bool { get }

    /// The generation that the keys of a protection class have; `nil` for a class that has none.
    func currentGeneration(of accessibility: Accessibility) -> UInt32?

    /// The key for a purpose.
    ///
    /// - Throws: ``ProtectionError/classUnavailable(_:)`` if it is not available now.
    func key(_ purpose: Keybag.Entry.Purpose) throws(ProtectionError) -> LockedKey
}

extension RowKeys {
    /// The protection class of a row, whose keys exist, whether or not they are available now.
    ///
    /// - Throws: ``ProtectionError/damagedRow(_:)`` for a row of unknown keys.
    func protection(of row: StoredRow) throws(ProtectionError) -> Accessibility {
        guard let protection = Accessibility(rawValue: row.protection),
            row.keyGeneration == currentGeneration(of: protection)
        else { throw .damagedRow(.unknownKey) }
        return protection
    }

    /// The key that the keys of a row's parts are derived from.
    ///
    /// - Throws: As ``protection(of:)`` or ``key(_:)``.
    func key(of row: StoredRow, _ part: AssociatedData.Part) throws(ProtectionError) -> LockedKey {
        let protection = try protection(of: row)
        return try key(part == .metadata ? .metadataKey(protection) : .classKey(protection))
    }

    /// Reseals a row under other keys, unchanged: a secret under an application password stays under it.
    ///
    /// - Parameters:
    ///   - row: the row.
    ///   - target: the new keys.
    ///   - tags: the search tag generator for them.
    ///   - random: the source of the row's version.
    /// - Returns: The row, with the same identifier, and new tags and version.
    /// - Throws: ``ProtectionError/damagedRow(_:)``, or as ``key(_:)``.
    func reseal(
        _ row: StoredRow,
        under target: some RowKeys,
        tags: SearchTags,
        random: any RandomSource
    ) throws(ProtectionError) -> StoredRow {
        try target.seal(try open(row), tags: tags, random: random)
    }

    /// Opens both parts of a row; a secret under an application password stays under it.
    ///
    /// - Throws: ``ProtectionError/damagedRow(_:)``, or as ``key(_:)``.
    func open(_ row: StoredRow) throws(ProtectionError) -> OpenedBackupRow {
        let part = try RowMetadata(row, self)
        let metadata = try part.open()
        let secret = try RowSecret(of: row, keys: self, associatedData: part.associatedData)
        return OpenedBackupRow(
            itemClass: row.itemClass,
            identifier: row.identifier,
            isTombstone: row.isTombstone,
            attributes: metadata.attributes,
            hasSecret: metadata.hasSecret,
            content: try secret.sealed(needsPassword: metadata.attributes.requireApplicationPassword)
        )
    }

    /// Seals what ``open(_:)`` gave, under these keys.
    func seal(
        _ opened: OpenedBackupRow,
        tags: SearchTags,
        random: any RandomSource
    ) throws(ProtectionError) -> StoredRow {
        guard case .string(let name)? = opened.attributes[.accessible], let protection = Accessibility(rawValue: name),
            let generation = currentGeneration(of: protection)
        else { throw .damagedRow(.unknownKey) }
        let schema = ItemSchema.of(opened.itemClass)
        var new = StoredRow(
            itemClass: opened.itemClass,
            identifier: opened.identifier,
            protection: protection.rawValue,
            isTombstone: opened.isTombstone,
            keyGeneration: generation,
            version: random.bytes16(),
            primaryKeyTag: tags.primaryKeyTag(schema, opened.attributes),
            tags: tags.tags(schema, opened.attributes)
        )
        let part = try RowMetadata(new, self)
        new.metadata = try part.seal(
            MetadataCodec.Metadata(attributes: opened.attributes, hasSecret: opened.hasSecret)
        )
        new.secret = try RowSecret(of: new, keys: self, associatedData: part.associatedData).seal(opened.content)
        new.lookup = try listed(new, opened.attributes)
        new.accessGroup = opened.attributes.accessGroupName
        return new
    }
}

/// A row that was opened to be compared, or sealed under other keys.
package struct OpenedBackupRow: Sendable {
    /// The class.
    package let itemClass: ItemClass
    /// The identifier.
    package var identifier: ItemIdentifier
    /// Whether it only remembers a deletion.
    package let isTombstone: Bool
    /// Every stored attribute.
    package var attributes: Attributes
    /// Whether the item has a secret.
    package let hasSecret: Bool
    /// The secret, or the layer of the application password around it.
    package let content: SecretBytes

    /// Whether the secret is under an application password, which is bound to the identifier.
    package var isUnderPassword: Bool { attributes.requireApplicationPassword }
}
