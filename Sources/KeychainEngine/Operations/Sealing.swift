// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainProtection
import KeychainStore

/// What the operations that write have in common: sealing, tombstones, and the row that has the same primary key.
extension Engine {
    /// Seals an item anew, and sets its digest.
    func seal(_ item: inout SealableItem, _ tags: SearchTags) throws(KeychainError) -> StoredRow {
        do { return try device.seal(&item, tags: tags) } catch { throw KeychainError(error) }
    }

    /// Looks at the row that has the primary key of another, and removes it if it may be removed.
    ///
    /// - Returns: The row: a live one, or a tombstone that is gone now; `nil` when a damaged row was set aside.
    func clearWay(
        for row: StoredRow,
        _ tags: SearchTags,
        _ writer: RowWriter
    ) throws(KeychainError) -> NumberedRow? {
        var samePrimaryKey = RowFilter(row.itemClass)
        samePrimaryKey.primaryKey = row.primaryKeyTag
        samePrimaryKey.includesTombstones = true
        guard let existing = try rows(samePrimaryKey, limit: 1, writer).first else {
            throw KeychainError(.internalComponent, "a row that is not there claims a primary key")
        }
        if case .damaged(let damaged) = try openMetadata(existing, tags) {
            // Otherwise the caller would try again and again.
            guard try quarantine(damaged, writer) else {
                throw KeychainError(
                    .notAvailable,
                    "an index of the store leads to a wrong row; put the store back from a backup"
                )
            }
            return nil
        }
        if existing.row.isTombstone {
            try writer.delete(existing)
        }
        return existing
    }

    /// What remembers a deleted synchronizable item: its primary key and dates, and no secret.
    func tombstone(
        of attributes: Attributes,
        _ itemClass: ItemClass,
        identifier: ItemIdentifier,
        _ tags: SearchTags
    ) throws(KeychainError) -> StoredRow {
        let schema = ItemSchema.of(itemClass)
        var kept = attributes.filter { schema[$0.key]?.isPrimaryKey ?? false }
        kept[.creationDate] = attributes[.creationDate]
        kept[.modificationDate] = .date(clock.now)
        var tombstone = SealableItem(
            itemClass: itemClass,
            identifier: identifier,
            protection: attributes.accessibility ?? schema.defaultAccessibility,
            attributes: kept,
            secret: nil,
            isTombstone: true
        )
        return try seal(&tombstone, tags)
    }
}
