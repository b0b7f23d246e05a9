// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainSync

/// What a change of this device does to the queue, in the transaction of the change.
extension SyncTransaction {
    /// What became of a change.
    package enum Recording: Sendable, Hashable {
        /// It is queued.
        case queued
        /// It stays on this device: it is larger than a record.
        case tooLarge
        /// Its key is not there now: it is queued after the unlock.
        case locked
    }

    /// The date of a change: later than every date that is known for its slot, a record's that waits included.
    ///
    /// A record that waits for the unlock tells no date; nothing of it was visible, either.
    package func dateOfChange(at slot: Bytes16) throws -> Timestamp {
        var known: [Timestamp] = []
        if let local = try items.local(at: slot) { known.append(local.version.date) }
        if let agreed = try book.slot(slot)?.agreed { known.append(agreed.date) }
        if let outgoing = try book.outgoing(at: slot) { known.append(outgoing.version.date) }
        if let record = try book.waiting(at: slot)?.record, let item = try open(record, at: slot) {
            known.append(item.date)
        }
        return SyncVersion.date(now: items.now, after: known)
    }

    /// Queues a change of this device: an item, or the tombstone of a deleted one.
    ///
    /// A change of a slot that is queued replaces it there: what others need is the last state. An item that was added
    /// and deleted before anybody saw it is sent as a tombstone, because another device may have added it, too.
    ///
    /// - Parameters:
    ///   - item: what is at the slot now.
    ///   - slot: the slot.
    ///   - group: the local transaction.
    /// - Returns: What became of it.
    /// - Throws: ``SyncFault`` for an item that may not travel, or what the store throws.
    @discardableResult
    package func record(_ item: SyncItem, at slot: Bytes16, group: UInt64) throws -> Recording {
        guard let keys = try book.latestKeys(), isAvailable(item.level) else {
            try oweEnlisting()
            return .locked
        }
        let place = try book.progress().place
        var shape = try book.slot(slot)?.shape
        if let replaced = shape, item.isTombstone, !items.available.contains(replaced.level) {
            // Sent while locked: the engine sees that an item of the other class was deleted.
            shape = SyncRecord.Shape(level: .afterFirstUnlock, byteCount: replaced.byteCount)
        }
        let record: SyncRecord
        do throws(SyncFault) {
            record = try SyncRecord(item, at: slot, keys, in: place, replacing: shape)
        } catch {
            guard error == .tooLarge(.record) else { throw error }
            try book.unqueue(slot)
            return .tooLarge
        }
        let version = item.version(at: slot)
        try book.queue(OutgoingChange(slot: slot, group: group, record: record, version: version))
        return .queued
    }

    /// Queues what is at a slot, as it is.
    func enlist(_ slot: Bytes16) throws {
        guard let item = try items.item(at: slot) else { return try oweEnlisting() }
        try record(item, at: slot, group: try newGroup())
    }

    /// A number for a local transaction, behind those of all that is queued.
    package func newGroup() throws -> UInt64 { (try book.outgoing().map(\.group).max() ?? 0) + 1 }

    /// Whether an item of a class can be sealed and opened; a tombstone always, after the first unlock.
    func isAvailable(_ level: SyncClass?) -> Bool { items.available.contains(level ?? .afterFirstUnlock) }

    /// Opens a record; `nil` if its key is not there now, or if it does not open.
    func open(_ record: SyncRecord, at slot: Bytes16) throws -> SyncItem? {
        guard items.available.contains(record.level), let keys = try book.keys(of: record.epoch) else { return nil }
        return try? record.open(at: slot, keys, in: try book.progress().place)
    }

    func oweEnlisting() throws {
        var progress = try book.progress()
        guard !progress.owesEnlisting else { return }
        progress.owesEnlisting = true
        try book.setProgress(progress)
    }
}
