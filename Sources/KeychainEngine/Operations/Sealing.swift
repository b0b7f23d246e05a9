// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainProtection
import KeychainStore

/// What the operations that write have in common: sealing, tombstones, and the row that has the same primary key.
extension Engine {
    /// Seals an item anew, and sets its digest.
    func seal(
        _ item: inout SealableItem,
        _ tags: SearchTags,
        _ passwordKey: PasswordKey? = nil
    ) throws(KeychainError) -> StoredRow {
        do {
            return try device.seal(&item, tags: tags, passwordKey: passwordKey)
        } catch {
            throw KeychainError(error)
        }
    }

    /// Refuses a protection class whose keys are not there now.
    func checkAvailable(_ protection: Accessibility) throws(KeychainError) {
        if device.isAvailable(protection) { return }
        let isPasscodeMissing = protection == .whenPasscodeSetThisDeviceOnly && device.keybag.passcodeSlot == nil
        throw KeychainError(isPasscodeMissing ? .noPasscode : .classUnavailable(protection.rawValue))
    }

    /// Whether a row's keys went with an earlier passcode.
    func isDestroyed(_ row: StoredRow) -> Bool {
        row.protection == Accessibility.whenPasscodeSetThisDeviceOnly.rawValue
            && row.keyGeneration < device.keybag.passcodeGeneration
    }

    /// Looks at the row that has a primary key, and removes it if it may be removed.
    ///
    /// - Returns: The row: a live one, or a tombstone that is gone now; `nil` when a damaged row was set aside, or one
    ///   that went with a passcode was removed.
    func clearWay(
        for itemClass: ItemClass,
        _ primaryKey: SearchTag,
        _ tags: SearchTags,
        _ writer: RowWriter
    ) throws(KeychainError) -> NumberedRow? {
        guard let existing = try row(itemClass, primaryKey, writer) else {
            throw KeychainError(.internalComponent, "a row that is not there claims a primary key")
        }
        if isDestroyed(existing.row) {
            try writer.delete(existing)
            return nil
        }
        if case .damaged(let damaged) = try openMetadata(existing) {
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

    /// Whether a live item has a primary key.
    func isTaken(
        _ itemClass: ItemClass,
        _ primaryKey: SearchTag,
        _ tags: SearchTags,
        _ writer: RowWriter
    ) throws(KeychainError) -> Bool {
        guard try row(itemClass, primaryKey, writer) != nil else { return false }
        guard let existing = try clearWay(for: itemClass, primaryKey, tags, writer) else { return false }
        return !existing.row.isTombstone
    }

    private func row(
        _ itemClass: ItemClass,
        _ primaryKey: SearchTag,
        _ reader: RowReader
    ) throws(KeychainError) -> NumberedRow? {
        var samePrimaryKey = RowFilter(itemClass)
        samePrimaryKey.primaryKey = primaryKey
        samePrimaryKey.includesTombstones = true
        return try rows(samePrimaryKey, limit: 1, reader).first
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
