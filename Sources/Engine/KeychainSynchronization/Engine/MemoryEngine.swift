// SPDX-License-Identifier: Apache-2.0

/// An engine in memory, for tests and simulated devices: strictly serializable, with everything that an operator, or
/// an attacker who is one, can do to it.
///
/// What its connections do wrong is in ``FaultyEngine``.
package actor MemoryEngine: SyncEngine {
    /// A state of an engine that was saved.
    package struct Backup: Sendable {
        fileprivate let contents: Contents
    }

    fileprivate struct Contents: Sendable {
        /// All values that a key had, by their positions; `nil` where it was deleted.
        var values: [EngineKey: [(position: UInt64, bytes: [UInt8]?)]] = [:]
        /// The keys of the values, in order.
        var keys: [EngineKey] = []
        var batches: [EngineBatch] = []
        var position: UInt64 = 0
        /// Positions before this one are gone.
        var compacted: UInt64 = 0
        /// When keys expire, on the engine's clock.
        var expiries: [EngineKey: Duration] = [:]

        func value(_ key: EngineKey, at position: UInt64) -> EngineValue? {
            guard let last = values[key]?.last(where: { $0.position <= position }), let bytes = last.bytes else {
                return nil
            }
            return EngineValue(bytes, version: EnginePosition(last.position))
        }

        /// The place of the first key that is not before another.
        func index(of key: EngineKey) -> Int {
            var (low, high) = (0, keys.count)
            while low < high {
                let middle = (low + high) / 2
                if keys[middle] < key { low = middle + 1 } else { high = middle }
            }
            return low
        }

        mutating func change(_ changes: [EngineKey: [UInt8]?]) {
            position += 1
            for (key, bytes) in changes {
                if values[key] == nil { keys.insert(key, at: index(of: key)) }
                values[key, default: []].append((position, bytes))
            }
            batches.append(EngineBatch(position: EnginePosition(position), changes: changes))
        }
    }

    private let itsLimits: EngineLimits
    private var contents = Contents()
    private var time = Duration.zero
    private var watchers: [UInt64: CheckedContinuation<Void, Never>] = [:]
    private var lastWatcher: UInt64 = 0

    /// Whether it has no space left: puts are refused, reads and deletes go on.
    package var isFull = false

    /// An empty engine.
    package init(limits: EngineLimits = EngineLimits()) { itsLimits = limits }

    // MARK: What an engine does

    package func limits() async throws(EngineError) -> EngineLimits { itsLimits }

    package func read(
        _ keys: [EngineKey],
        at position: EnginePosition?
    ) async throws(EngineError) -> EngineSnapshot {
        guard keys.count <= itsLimits.operationCount else { throw .tooLarge }
        let position = try checked(position)
        var values: [EngineKey: EngineValue] = [:]
        for key in keys { values[key] = contents.value(key, at: position.number) }
        return EngineSnapshot(position: position, values: values)
    }

    package func scan(
        _ range: EngineRange,
        at position: EnginePosition?,
        limit: Int
    ) async throws(EngineError) -> EnginePage {
        guard limit > 0 else { throw .refused("a page has entries") }
        let position = try checked(position)
        var entries: [EngineEntry] = []
        for key in contents.keys[contents.index(of: range.start)...] {
            guard key < range.end else { break }
            guard let value = contents.value(key, at: position.number) else { continue }
            if entries.count == limit { return EnginePage(position: position, entries: entries, hasMore: true) }
            entries.append(EngineEntry(key: key, value: value))
        }
        return EnginePage(position: position, entries: entries, hasMore: false)
    }

    package func commit(_ transaction: EngineTransaction) async throws(EngineError) -> EngineOutcome {
        guard transaction.isConsistent else { throw .refused("a key is changed twice") }
        guard transaction.fits(itsLimits) else { throw .tooLarge }
        guard !isFull || transaction.puts.isEmpty else { throw .full }
        for condition in transaction.conditions {
            let version = contents.value(condition.key, at: contents.position)?.version
            switch condition {
            case .absent: if version != nil { return .conflict }
            case .unchanged(_, let wanted): if version != wanted { return .conflict }
            }
        }
        var changes: [EngineKey: [UInt8]?] = [:]
        for put in transaction.puts {
            changes[put.key] = .some(put.bytes)
            contents.expiries[put.key] = put.lifetime.map { time + $0 }
        }
        for key in transaction.deletes {
            changes[key] = .some(nil)
            contents.expiries[key] = nil
        }
        contents.change(changes)
        wakeWatchers()
        return .committed(EnginePosition(contents.position))
    }

    nonisolated package func changes(in range: EngineRange, after position: EnginePosition) -> EngineChanges {
        let place = WatchPlace(position)
        return EngineChanges { () async throws(EngineError) in
            guard let batch = try await self.batch(in: range, after: await place.position) else { return nil }
            await place.move(to: batch.position)
            return batch
        }
    }

    private func checked(_ position: EnginePosition?) throws(EngineError) -> EnginePosition {
        guard let position else { return EnginePosition(contents.position) }
        guard position.number >= contents.compacted, position.number <= contents.position else {
            throw .positionGone
        }
        return position
    }

    private func batch(in range: EngineRange, after position: EnginePosition) async throws(EngineError) -> EngineBatch?
    {
        while !Task.isCancelled {
            guard position.number >= contents.compacted else { throw .positionGone }
            for batch in contents.batches where batch.position > position {
                let changes = batch.changes.filter { range.contains($0.key) }
                if !changes.isEmpty { return EngineBatch(position: batch.position, changes: changes) }
            }
            await nextChange()
        }
        return nil
    }

    private func nextChange() async {
        lastWatcher += 1
        let number = lastWatcher
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                if Task.isCancelled { continuation.resume() } else { watchers[number] = continuation }
            }
        } onCancel: {
            Task { await self.wakeWatcher(number) }
        }
    }

    private func wakeWatcher(_ number: UInt64) { watchers.removeValue(forKey: number)?.resume() }

    private func wakeWatchers() { for number in watchers.keys { wakeWatcher(number) } }

    // MARK: What happens to it

    /// Lets time pass: keys whose lifetime is over expire, all in one transaction.
    package func advance(by duration: Duration) {
        time += duration
        let expired = contents.expiries.filter { $0.value <= time }.keys
        guard !expired.isEmpty else { return }
        for key in expired { contents.expiries[key] = nil }
        contents.change(Dictionary(uniqueKeysWithValues: expired.map { ($0, [UInt8]?.none) }))
        wakeWatchers()
    }

    /// Forgets the history before the newest position.
    package func compact() {
        contents.compacted = contents.position
        contents.batches = []
        wakeWatchers()
    }

    /// Takes its space, or gives it back.
    package func setFull(_ isFull: Bool) { self.isFull = isFull }

    /// Saves its state.
    package func backup() -> Backup { Backup(contents: contents) }

    /// Puts a saved state back, as if nothing had happened since; its position is that of then.
    package func restore(_ backup: Backup) {
        contents = backup.contents
        wakeWatchers()
    }

    /// Everything that it has, for tests that look for what must not be in it.
    package func everything() -> [EngineKey: [UInt8]] {
        contents.values.keys.reduce(into: [:]) { $0[$1] = contents.value($1, at: contents.position)?.bytes }
    }

    /// The keys that were ever deleted.
    package func deleted() -> Set<EngineKey> {
        Set(contents.values.filter { $0.value.contains { $0.bytes == nil } }.keys)
    }

    /// All bytes that it ever had.
    package func history() -> [[UInt8]] { contents.values.values.flatMap { $0.compactMap(\.bytes) } }
}

/// Where a reader of changes is.
private actor WatchPlace {
    private(set) var position: EnginePosition

    init(_ position: EnginePosition) { self.position = position }

    func move(to position: EnginePosition) { self.position = position }
}
