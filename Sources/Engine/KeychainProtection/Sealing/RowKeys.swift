// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// The keys that seal the rows of a store or a backup.
protocol RowKeys {
    /// The identifier to which its rows are bound.
    var storeIdentifier: Bytes16 { get }

    /// The minimum work that the header of an application password may specify.
    var floor: ScryptFloor { get }

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
        let part = try RowMetadata(row, self)
        let metadata = try part.open()
        let secret = try RowSecret(of: row, keys: self, associatedData: part.associatedData)
        let sealed = try secret.sealed(needsPassword: metadata.attributes.requireApplicationPassword)
        guard let protection = Accessibility(rawValue: row.protection),
            let generation = target.currentGeneration(of: protection)
        else { throw .damagedRow(.unknownKey) }
        let schema = ItemSchema.of(row.itemClass)
        var new = StoredRow(
            itemClass: row.itemClass,
            identifier: row.identifier,
            protection: row.protection,
            isTombstone: row.isTombstone,
            keyGeneration: generation,
            version: random.bytes16(),
            primaryKeyTag: tags.primaryKeyTag(schema, metadata.attributes),
            tags: tags.tags(schema, metadata.attributes)
        )
        let newPart = try RowMetadata(new, target)
        new.metadata = try newPart.seal(metadata)
        new.secret = try RowSecret(of: new, keys: target, associatedData: newPart.associatedData).seal(sealed)
        return new
    }
}
