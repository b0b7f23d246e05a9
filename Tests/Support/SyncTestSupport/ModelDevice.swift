// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainSync
import KeychainSynchronization
import Synchronization

/// The device was killed between two steps of a transaction, or behind it.
package struct Killed: Error {}

/// The time of all devices of a test.
package final class ModelTime: Sendable {
    private let seconds = Mutex(800_000_000.0)

    /// A time.
    package init() {}

    /// Now.
    package var now: Double { seconds.withLock { $0 } }

    /// Lets time pass.
    package func advance(by seconds: Double) { self.seconds.withLock { $0 += seconds } }
}

/// A device's store in memory, with a lock, a clock, rows that can be damaged, and a death between any two steps.
package final class ModelDevice: SyncStore {
    /// What is at a slot.
    struct Row: Sendable, Hashable {
        var item: SyncItem
        var version: SyncVersion
        var isQuarantined = false
    }

    struct State {
        var book: MemoryBook.Contents
        var rows: [Bytes16: Row] = [:]
        /// Items of before the device joined: their slots are not known yet.
        var unslotted: [SyncItem] = []
        var overwritten: [(slot: Bytes16, item: SyncItem, author: Bytes16)] = []
        var available = Set(SyncClass.allCases)
        var clockOffset = 0.0
        /// Steps until it dies.
        var stepsLeft: Int?
        var refusesService: String?
    }

    private let time: ModelTime
    let state: Mutex<State>

    /// A device without items.
    package init(_ place: SyncPlace, _ time: ModelTime) {
        self.time = time
        state = Mutex(State(book: MemoryBook.Contents(place)))
    }

    package func change<Result>(_ body: (SyncTransaction) throws -> Result) throws -> Result {
        try state.withLock { state in
            let steps = Steps(state.stepsLeft)
            let book = MemoryBook(state.book, onStep: steps.step)
            let items = ModelItems(state, book, now: now(state), steps: steps)
            defer { state.stepsLeft = steps.left }
            let result = try body(SyncTransaction(book, items))
            try steps.step()
            state.book = book.contents
            state.rows = items.state.rows
            state.unslotted = items.state.unslotted
            state.overwritten = items.state.overwritten
            // It is durable, but nobody is told.
            try steps.step()
            return result
        }
    }

    private func now(_ state: State) -> Timestamp {
        Timestamp(secondsSinceReferenceDate: time.now + state.clockOffset)
    }

    // MARK: What happens to it

    /// Locks it, or unlocks it.
    package func setLocked(_ isLocked: Bool) {
        state.withLock { $0.available = isLocked ? [.afterFirstUnlock] : Set(SyncClass.allCases) }
    }

    /// Restarts it: before the first unlock nothing is available.
    package func reboot() { state.withLock { $0.available = [] } }

    /// Sets its clock ahead, or behind.
    package func setClock(ahead seconds: Double) { state.withLock { $0.clockOffset = seconds } }

    /// Has it die after a number of steps; `nil` for never.
    package func die(after steps: Int?) { state.withLock { $0.stepsLeft = steps } }

    /// Refuses to store items of a service that come from elsewhere; `nil` for none.
    package func refuse(service: String?) { state.withLock { $0.refusesService = service } }

    /// Damages the row of an account.
    package func damage(_ account: String) {
        state.withLock { state in
            for slot in state.rows.keys where state.rows[slot]?.account == account {
                state.rows[slot]?.isQuarantined = true
            }
        }
    }

    // MARK: Its apps

    /// Adds or updates an item.
    ///
    /// - Returns: The acknowledged version.
    @discardableResult
    package func set(_ account: String, _ secret: String, level: String = "ak") throws -> (Bytes16, SyncVersion) {
        try change { transaction in
            try write([(account, secret, level)], transaction)[0]
        }
    }

    /// Adds or updates several items in one transaction.
    package func set(all secrets: [(account: String, secret: String)]) throws {
        try change { transaction in _ = try write(secrets.map { ($0.account, $0.secret, "ck") }, transaction) }
    }

    private func write(
        _ secrets: [(account: String, secret: String, level: String)],
        _ transaction: SyncTransaction
    ) throws -> [(Bytes16, SyncVersion)] {
        guard let keys = try transaction.book.latestKeys() else { throw SyncFault.key }
        let group = try transaction.newGroup()
        return try secrets.map { account, secret, level in
            let attributes = Self.attributes(account, level)
            let slot = keys.slot(.genericPassword, attributes)
            var dated = attributes
            dated[.modificationDate] = .date(try transaction.dateOfChange(at: slot))
            let item = try SyncItem(.genericPassword, dated, secret: SecretBytes(Array(secret.utf8)))
            guard item.level.map(transaction.items.available.contains) ?? false else { throw SyncFault.closed(.record) }
            try transaction.items.put(item, at: slot)
            try transaction.record(item, at: slot, group: group)
            return (slot, item.version(at: slot))
        }
    }

    /// Adds an item before the device is in a circle.
    package func addBeforeJoining(_ account: String, _ secret: String, at date: Double) throws {
        var attributes = Self.attributes(account, "ck")
        attributes[.modificationDate] = .date(Timestamp(secondsSinceReferenceDate: date))
        let item = try SyncItem(.genericPassword, attributes, secret: SecretBytes(Array(secret.utf8)))
        state.withLock { $0.unslotted.append(item) }
    }

    /// Deletes an item, which needs no key of it.
    ///
    /// - Returns: The acknowledged version; `nil` if there is none.
    @discardableResult
    package func delete(_ account: String) throws -> (Bytes16, SyncVersion)? {
        try change { transaction in
            guard let keys = try transaction.book.latestKeys() else { throw SyncFault.key }
            let slot = keys.slot(.genericPassword, Self.attributes(account, "ak"))
            guard let local = try transaction.items.local(at: slot), !local.isTombstone else { return nil }
            let date = try transaction.dateOfChange(at: slot)
            let tombstone = try SyncItem(tombstone: .genericPassword, date: date)
            try transaction.items.put(tombstone, at: slot)
            try transaction.record(tombstone, at: slot, group: try transaction.newGroup())
            return (slot, tombstone.version(at: slot))
        }
    }

    private static func attributes(_ account: String, _ level: String) -> Attributes {
        [
            .account: .string(account), .service: .string("service"), .accessGroup: .string("group"),
            .accessible: .string(level), .creationDate: .date(.referenceDate),
        ]
    }

    // MARK: What can be seen of it

    /// The secret of an account, as its apps see it; `nil` if there is none.
    package func secret(_ account: String) -> String? {
        state.withLock { state in
            state.rows.values.first { $0.account == account && !$0.isQuarantined }?.secret
        }
    }

    /// All secrets by their accounts.
    package var secrets: [String: String] {
        state.withLock { state in
            state.rows.values.reduce(into: [:]) { if let account = $1.account { $0[account] = $1.secret } }
        }
    }

    /// The version at each slot, those of tombstones too.
    package var versions: [Bytes16: SyncVersion] { state.withLock { $0.rows.mapValues(\.version) } }

    /// The slots with a tombstone.
    package var tombstones: Set<Bytes16> { state.withLock { Set($0.rows.filter { $0.value.item.isTombstone }.keys) } }

    /// The secrets of what was overwritten here.
    package var overwritten: [String] {
        state.withLock { $0.overwritten.map { Row(item: $0.item, version: $0.item.version(at: $0.slot)).secret ?? "" } }
    }

    /// What is noted.
    package var book: MemoryBook.Contents { state.withLock { $0.book } }
}

extension ModelDevice.Row {
    var account: String? {
        guard case .item(let attributes, _) = item.content, case .string(let account)? = attributes[.account] else {
            return nil
        }
        return account
    }

    var secret: String? {
        guard case .item(_, let secret) = item.content else { return nil }
        return secret.map { $0.withUnsafeBytes { String(decoding: $0, as: UTF8.self) } }
    }
}

/// Counts down to a death.
private final class Steps {
    private(set) var left: Int?

    init(_ left: Int?) { self.left = left }

    func step() throws {
        guard let left else { return }
        if left <= 0 { throw Killed() }
        self.left = left - 1
    }
}

/// The items of a device in one transaction.
private final class ModelItems: SyncItems {
    private(set) var state: ModelDevice.State
    private let book: MemoryBook
    private let steps: Steps
    let now: Timestamp

    init(_ state: ModelDevice.State, _ book: MemoryBook, now: Timestamp, steps: Steps) {
        self.state = state
        self.book = book
        self.now = now
        self.steps = steps
    }

    var available: Set<SyncClass> { state.available }

    private func slotItems() {
        guard !state.unslotted.isEmpty, let keys = book.latestKeys() else { return }
        for item in state.unslotted {
            guard case .item(let attributes, _) = item.content else { continue }
            let slot = keys.slot(item.itemClass, attributes)
            state.rows[slot] = ModelDevice.Row(item: item, version: item.version(at: slot))
        }
        state.unslotted = []
    }

    func local(at slot: Bytes16) -> LocalVersion? {
        slotItems()
        return state.rows[slot].map {
            LocalVersion($0.version, isTombstone: $0.item.isTombstone, isQuarantined: $0.isQuarantined)
        }
    }

    func slots(after slot: Bytes16?, limit: Int) -> [Bytes16] {
        slotItems()
        let later = state.rows.keys.inOrder.filter { other in slot.map { $0.precedes(other) } ?? true }
        return Array(later.prefix(limit))
    }

    func damaged() -> [Bytes16] { state.rows.filter { $0.value.isQuarantined }.keys.inOrder }

    func item(at slot: Bytes16) -> SyncItem? {
        guard let row = state.rows[slot], !row.isQuarantined else { return nil }
        return available.contains(row.item.level ?? .afterFirstUnlock) ? row.item : nil
    }

    func accepts(_ item: SyncItem) -> Bool {
        guard case .item(let attributes, _) = item.content, case .string(let service)? = attributes[.service] else {
            return true
        }
        return service != state.refusesService
    }

    func put(_ item: SyncItem, at slot: Bytes16) throws {
        try steps.step()
        state.rows[slot] = ModelDevice.Row(item: item, version: item.version(at: slot))
    }

    func remove(_ slot: Bytes16) throws {
        try steps.step()
        state.rows[slot] = nil
    }

    func keepOverwritten(_ slot: Bytes16, by author: Bytes16) throws {
        try steps.step()
        if let row = state.rows[slot] { state.overwritten.append((slot, row.item, author)) }
    }
}
