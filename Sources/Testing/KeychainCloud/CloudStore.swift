// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import KeychainEngine
import KeychainSimulation
import KeychainSync
import KeychainSynchronization

/// The store of a device that is signed in to a cloud: the items are those of its keychain, and what is noted beside
/// them is in memory.
///
/// There is no queue in the transactions of apps: what they changed is found by comparing all items with what was known
/// of them, before anything is merged, in the same transaction.
final class CloudStore: SyncStore {
    /// What was known of a slot at last.
    struct Known: Sendable {
        var version: SyncVersion
        var isTombstone: Bool
        var itemClass: ItemClass
        /// The row; `nil` for a tombstone without one.
        var identifier: ItemIdentifier?
    }

    struct State: Sendable {
        var book: MemoryBook.Contents
        var known: [Bytes16: Known] = [:]
        var overwritten: [[UInt8]] = []
    }

    private weak let device: VirtualDevice?
    private let keychain: EmbeddedKeychain
    private let state: Guarded<State>

    init(_ device: VirtualDevice, _ place: SyncPlace) {
        self.device = device
        keychain = device.keychain
        state = Guarded(State(book: MemoryBook.Contents(place)))
    }

    /// The secrets of changes that lost.
    var overwritten: [[UInt8]] { state.withLock(\.overwritten) }

    func change<Result>(_ body: (SyncTransaction) throws -> Result) throws -> Result {
        let available = Self.available(device)
        let now = Timestamp(secondsSinceReferenceDate: device?.clock.date.timeIntervalSinceReferenceDate ?? 0)
        return try state.withLock { state in
            let (result, next) = try keychain.changeSynchronizableItems { rows in
                let book = MemoryBook(state.book)
                let items = try CloudItems(rows, book, after: state, available: available, now: now)
                let result = try body(SyncTransaction(book, items))
                return (result, State(book: book.contents, known: items.known, overwritten: items.overwritten))
            }
            state = next
            return result
        }
    }

    /// Removes the synchronizable items of the device.
    func removeItems() throws(VirtualDeviceError) {
        do {
            try keychain.changeSynchronizableItems { rows in
                for row in try rows.rows() { try rows.remove(row.itemClass, row.identifier) }
            }
        } catch {
            throw VirtualDeviceError(error as? KeychainError ?? KeychainError(.internalComponent, "\(error)"))
        }
    }

    private static func available(_ device: VirtualDevice?) -> Set<SyncClass> {
        guard let device else { return [] }
        // A simulator's lock protects nothing.
        if device.platform == .simulator { return Set(SyncClass.allCases) }
        return switch device.lockState {
        case .unlocked: Set(SyncClass.allCases)
        case .locked: [.afterFirstUnlock]
        case .beforeFirstUnlock: []
        }
    }
}

/// The items of a device in one transaction.
private final class CloudItems: SyncItems {
    let available: Set<SyncClass>
    let now: Timestamp
    private(set) var known: [Bytes16: CloudStore.Known]
    private(set) var overwritten: [[UInt8]]

    private let rows: SynchronizableItems
    private let book: MemoryBook
    private var items: [Bytes16: SyncItem] = [:]
    private var damagedSlots: Set<Bytes16> = []

    init(
        _ rows: SynchronizableItems,
        _ book: MemoryBook,
        after state: CloudStore.State,
        available: Set<SyncClass>,
        now: Timestamp
    ) throws {
        self.rows = rows
        self.book = book
        self.available = available
        self.now = now
        known = state.known
        overwritten = state.overwritten
        if let keys = book.latestKeys() { try noticeChanges(keys) }
    }

    // MARK: What apps did

    private func noticeChanges(_ keys: ZoneKeys) throws {
        let slots = Dictionary(
            known.compactMap { slot, known in known.identifier.map { ($0, slot) } },
            uniquingKeysWith: { first, _ in first }
        )
        let transaction = SyncTransaction(book, self)
        let group = try transaction.newGroup()
        var seen: Set<Bytes16> = []
        for row in try rows.rows() {
            switch row.content {
            case .locked, .damaged:
                guard let slot = slots[row.identifier] else { continue }
                seen.insert(slot)
                if case .damaged = row.content { damagedSlots.insert(slot) }
            case .tombstone(let attributes):
                guard case .date(let date)? = attributes[.modificationDate] else { continue }
                let slot = keys.slot(row.itemClass, attributes)
                seen.insert(slot)
                try notice(try SyncItem(tombstone: row.itemClass, date: date), at: slot, of: row, group: group)
            case .item(let attributes, let secret):
                // One that is bound to its device stays there.
                guard let item = try? SyncItem(row.itemClass, attributes, secret: secret), accepts(item)
                else { continue }
                let slot = keys.slot(row.itemClass, attributes)
                seen.insert(slot)
                items[slot] = item
                try notice(item, at: slot, of: row, group: group)
            }
        }
        // A delete while locked leaves no tombstone.
        for (slot, gone) in known where !seen.contains(slot) && !gone.isTombstone {
            let tombstone = try SyncItem(tombstone: gone.itemClass, date: try transaction.dateOfChange(at: slot))
            known[slot] = CloudStore.Known(
                version: tombstone.version(at: slot),
                isTombstone: true,
                itemClass: gone.itemClass
            )
            try transaction.record(tombstone, at: slot, group: group)
        }
    }

    private func notice(
        _ item: SyncItem,
        at slot: Bytes16,
        of row: SynchronizableItems.Row,
        group: UInt64
    ) throws {
        let transaction = SyncTransaction(book, self)
        var item = item
        if let former = known[slot], former.version != item.version(at: slot),
            !item.version(at: slot).wins(over: former.version)
        {
            // Its app changed what it saw: that never loses to it, whatever the clock says.
            item = try dated(item, try transaction.dateOfChange(at: slot))
            _ = try write(item, known: former)
        }
        let version = item.version(at: slot)
        let isChanged = known[slot]?.version != version
        known[slot] = CloudStore.Known(
            version: version,
            isTombstone: item.isTombstone,
            itemClass: row.itemClass,
            identifier: row.identifier
        )
        items[slot] = item
        if isChanged { try transaction.record(item, at: slot, group: group) }
    }

    private func dated(_ item: SyncItem, _ date: Timestamp) throws -> SyncItem {
        guard case .item(let attributes, let secret) = item.content else {
            return try SyncItem(tombstone: item.itemClass, date: date)
        }
        var later = attributes
        later[.modificationDate] = .date(date)
        return try SyncItem(item.itemClass, later, secret: secret)
    }

    // MARK: What others did

    func local(at slot: Bytes16) -> LocalVersion? {
        known[slot].map {
            LocalVersion($0.version, isTombstone: $0.isTombstone, isQuarantined: damagedSlots.contains(slot))
        }
    }

    func slots(after slot: Bytes16?, limit: Int) -> [Bytes16] {
        let later = known.keys.inOrder.filter { other in slot.map { $0.precedes(other) } ?? true }
        return Array(later.prefix(limit))
    }

    func damaged() -> [Bytes16] { damagedSlots.inOrder }

    func item(at slot: Bytes16) -> SyncItem? { items[slot] }

    func accepts(_ item: SyncItem) -> Bool {
        guard case .item(let attributes, _) = item.content else { return true }
        return attributes[.accessGroup] != .string(PropertyKey.accessGroupToken)
    }

    func put(_ item: SyncItem, at slot: Bytes16) throws {
        let identifier = try write(item, known: known[slot])
        known[slot] = CloudStore.Known(
            version: item.version(at: slot),
            isTombstone: item.isTombstone,
            itemClass: item.itemClass,
            identifier: identifier
        )
        items[slot] = item
        damagedSlots.remove(slot)
    }

    private func write(_ item: SyncItem, known: CloudStore.Known?) throws -> ItemIdentifier? {
        switch item.content {
        case .item(let attributes, let secret): return try rows.put(item.itemClass, attributes, secret: secret)
        case .tombstone:
            guard let known, let identifier = known.identifier else { return nil }
            return try rows.bury(known.itemClass, identifier, date: item.date) ? identifier : nil
        }
    }

    func remove(_ slot: Bytes16) throws {
        if let gone = known.removeValue(forKey: slot), let identifier = gone.identifier {
            try rows.remove(gone.itemClass, identifier)
        }
        items[slot] = nil
        damagedSlots.remove(slot)
    }

    func keepOverwritten(_ slot: Bytes16, by author: Bytes16) {
        guard case .item(_, let secret)? = items[slot]?.content else { return }
        overwritten.append(secret?.withUnsafeBytes { Array($0) } ?? [])
    }
}
