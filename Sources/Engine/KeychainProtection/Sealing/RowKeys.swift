// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// What the rows of a store are sealed with, or those of a backup.
protocol RowKeys {
    /// What its rows are bound to.
    var storeIdentifier: Bytes16 { get }

    /// The least work that the header of an application password may ask for.
    var floor: ScryptFloor { get }

    /// The generation that the keys of a protection class have; `nil` for a class that has none.
    func currentGeneration(of accessibility: Accessibility) -> UInt32?

    /// The key for a purpose.
    ///
    /// - Throws: ``ProtectionError/classUnavailable(_:)`` when it is not there now.
    func key(_ purpose: Keybag.Entry.Purpose) throws(ProtectionError) -> LockedKey
}

extension RowKeys {
    /// The protection class of a row, whose keys exist, whether they are there now or not.
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

    /// Opens a row fully and seals it anew under other keys, as it is: what is under an application password stays
    /// under it.
    ///
    /// - Parameters:
    ///   - row: the row.
    ///   - target: the other keys.
    ///   - tags: the maker of search tags that goes with them.
    ///   - random: where the version of the row comes from.
    /// - Returns: The row, of the same identifier, with tags and a version of its own.
    /// - Throws: ``ProtectionError/damagedRow(_:)``, or as ``key(_:)``.
    func reseal(
        _ row: StoredRow,
        under target: some RowKeys,
        _ tags: SearchTags,
        _ random: any RandomSource
    ) throws(ProtectionError) -> StoredRow {
        let part = try RowMetadata(row, self)
        let metadata = try part.open()
        let secret = try RowSecret(row, self, part.associatedData)
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
        new.secret = try RowSecret(new, target, newPart.associatedData).seal(sealed)
        return new
    }
}
