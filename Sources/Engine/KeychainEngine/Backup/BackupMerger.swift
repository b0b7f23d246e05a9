// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainProtection
import KeychainStore

/// Merges the items of a backup into a store, inside one transaction.
///
/// An item is the same if its primary key is; its dates, and the digest, which is bound to the store, are not compared.
/// Tombstones are not taken: the keychain deletes nothing because of a backup.
struct BackupMerger {
    let rows: RowReader
    /// `nil` for a trial.
    let writer: RowWriter?
    let device: Sealer
    let tags: SearchTags
    let clock: any KeychainClock
    let random: any RandomSource
    let merge: BackupMerge
    private let schedule: ScheduleGroup
    private(set) var report = BackupMergeReport()

    init(_ rows: RowReader, writer: RowWriter?, of engine: Engine, _ merge: BackupMerge) {
        self.rows = rows
        self.writer = writer
        device = engine.device
        tags = engine.device.searchTags(engine.searchTagCache)
        clock = engine.clock
        random = engine.random
        self.merge = merge
        schedule = ScheduleGroup(tags)
    }

    /// Reads the whole backup, so that its code is checked, and takes what is asked for.
    mutating func run(_ backup: BackupReader, _ opened: OpenBackup) throws(KeychainError) {
        for itemClass in ItemClass.stored {
            try backup.forEachRow(itemClass) { (row) throws(KeychainError) in
                let item = try opened.opening { (backup) throws(ProtectionError) in
                    try backup.open(row.row, number: row.number)
                }
                guard !item.isTombstone, !schedule.has(item), merge.items?.contains(item.identifier) ?? true else {
                    return
                }
                try take(item)
            }
        }
        try backup.forEachFile { (sealed, number) throws(KeychainError) in
            _ = try opened.opening { (backup) throws(ProtectionError) in try backup.open(file: sealed, number: number) }
        }
        try opened.opening { (backup) throws(ProtectionError) in try backup.checkRows() }
        let isUndecided = merge.conflicts == .refuse && report.differing.count > 0
        report.isApplied = writer != nil && !isUndecided
    }

    private mutating func take(_ theirs: OpenedBackupRow) throws(KeychainError) {
        let name = BackedUpItem(theirs.itemClass, theirs.identifier, attributes: theirs.attributes)
        guard let existing = try existing(theirs) else { return try add(theirs, name) }
        guard !existing.row.isTombstone, !device.isDestroyed(existing.row) else {
            return try replaceRemains(existing, by: theirs, name)
        }
        switch try opened(existing) {
        case .damaged(let damaged):
            // It keeps its bytes in quarantine, and the item is there again.
            try writer?.quarantine(damaged)
            try add(theirs, name)
        case .content(let ours):
            if ours.isSame(as: theirs) {
                report.equal += 1
            } else {
                report.differing.add(name)
                if merge.conflicts == .keepTheirs { try replace(existing, ours, by: theirs, named: name) }
            }
        }
    }

    /// The row with the same primary key.
    private func existing(_ theirs: OpenedBackupRow) throws(KeychainError) -> NumberedRow? {
        var filter = RowFilter(theirs.itemClass)
        filter.primaryKey = tags.primaryKeyTag(ItemSchema.of(theirs.itemClass), theirs.attributes)
        filter.includesTombstones = true
        return try rows.uncountedRow(filter)
    }

    private func opened(_ row: NumberedRow) throws(KeychainError) -> Opened<OpenedBackupRow> {
        do throws(ProtectionError) {
            return .content(try device.openBackedUp(row.row))
        } catch .damagedRow(let damage) {
            return .damaged(DamagedRow(row: row, damage: damage))
        } catch {
            throw KeychainError(error)
        }
    }

    private mutating func add(_ theirs: OpenedBackupRow, _ name: BackedUpItem) throws(KeychainError) {
        var item = theirs
        if try isTaken(theirs.itemClass, theirs.identifier) {
            guard !theirs.isUnderPassword else { return report.refused.add(name) }
            item.identifier = random.bytes16()
        }
        report.added.add(name)
        try insert(item)
    }

    /// Adds an item in place of the memory of one that was deleted, which it has to be newer than (Semantics, "Deleting
    /// items"), or of one whose keys are gone.
    private mutating func replaceRemains(
        _ remains: NumberedRow,
        by theirs: OpenedBackupRow,
        _ name: BackedUpItem
    ) throws(KeychainError) {
        var item = theirs
        if remains.row.isTombstone, case .content(let tombstone) = try opened(remains) {
            let date = clock.now.orJustAfter(tombstone.attributes.modificationDate)
            item.attributes[.modificationDate] = .date(date)
        }
        try writer?.delete(remains)
        guard writer != nil || remains.row.identifier != theirs.identifier else { return report.added.add(name) }
        try add(item, name)
    }

    /// Puts the item of the backup in place of another one, under the identifier of that: so references to it stay.
    ///
    /// An application password is bound to the identifier of the backup.
    private mutating func replace(
        _ existing: NumberedRow,
        _ ours: OpenedBackupRow,
        by theirs: OpenedBackupRow,
        named name: BackedUpItem
    ) throws(KeychainError) {
        var item = theirs
        if !theirs.isUnderPassword { item.identifier = ours.identifier }
        if item.identifier != ours.identifier, try isTaken(item.itemClass, item.identifier) {
            return report.refused.add(name)
        }
        guard try keepFormerValues(of: ours, in: &item) else { return report.refused.add(name) }
        let date = clock.now.orJustAfter(ours.attributes.modificationDate)
        item.attributes[.modificationDate] = .date(date)
        try writer?.delete(existing)
        try insert(item)
    }

    /// Keeps the former values of the item that is replaced, and what it has, if these are kept.
    ///
    /// - Returns: `false` if they could not be read any more: they are under an application password, or what is there
    ///   is not known here.
    private func keepFormerValues(
        of ours: OpenedBackupRow,
        in item: inout OpenedBackupRow
    ) throws(KeychainError) -> Bool {
        let kept = ours.attributes.keptHistory
        let number = try rows.historyNumber()
        guard ItemHistory.classes.contains(item.itemClass), kept != .none || number ?? 0 > 0 else { return true }
        guard kept != .unreadable, !ours.isUnderPassword, !item.isUnderPassword,
            let former = ours.attributes.protection, let next = item.attributes.protection
        else { return kept == .none }
        var record = HistoryRecord(keep: number ?? 0, isOwn: false)
        if case .record(let found) = kept { record = found }
        if !record.isOwn, let number { record.keep = number }
        guard let writer else { return true }
        let seal = FormerValueSeal(device, item.itemClass, of: item.identifier, under: next)
        if former != next {
            let formerSeal = FormerValueSeal(device, ours.itemClass, of: ours.identifier, under: former)
            try record.reseal(from: (formerSeal, nil), to: (seal, nil))
        }
        if ours.hasSecret, ours.content != item.content {
            let note = FormerValue(random.bytes16(), replaced: clock.now, group: "", byteCount: ours.content.count)
            try record.add(ours.content, note, under: (seal, nil))
        }
        record.trim()
        try writer.adopt(.history)
        item.attributes.keep(record)
        return true
    }

    private func isTaken(_ itemClass: ItemClass, _ identifier: ItemIdentifier) throws(KeychainError) -> Bool {
        var filter = RowFilter(itemClass)
        filter.identifier = identifier
        filter.includesTombstones = true
        return try !rows.everyRow(filter, sealedParts: false).isEmpty
    }

    private func insert(_ item: OpenedBackupRow) throws(KeychainError) {
        guard let writer else { return }
        let row: StoredRow
        do throws(ProtectionError) {
            row = try device.sealBackedUp(item, tags)
        } catch .damagedRow {
            throw KeychainError(ProtectionError.alteredBackup)
        } catch {
            throw KeychainError(error)
        }
        guard try writer.insert(row) else {
            throw KeychainError(.internalComponent, "an item could not be added under a primary key that is free")
        }
    }
}

extension OpenedBackupRow {
    /// Whether two rows hold the same item.
    fileprivate func isSame(as other: OpenedBackupRow) -> Bool {
        func compared(_ row: OpenedBackupRow) -> Attributes {
            var attributes = row.attributes
            for name in [.creationDate, .modificationDate, .digest, .history] as [AttributeName] {
                attributes[name] = nil
            }
            return attributes
        }
        return hasSecret == other.hasSecret && content == other.content && compared(self) == compared(other)
    }
}
