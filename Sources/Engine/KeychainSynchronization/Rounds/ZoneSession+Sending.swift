// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainSync

/// Sending what this device changed, after everything before it is applied.
extension ZoneSession {
    enum Sending {
        /// Everything that can be sent now is sent.
        case complete
        /// Others were faster, or nobody knows what became of a commit.
        case again
    }

    /// What a commit has of the queue, and which tombstones it forgets.
    private struct Load {
        var changes: [OutgoingChange] = []
        var forgotten: [Bytes16] = []

        var isEmpty: Bool { changes.isEmpty && forgotten.isEmpty }
    }

    func sendAll() async throws -> Sending {
        guard let circle, circle.commits, let zone = circle.zone, !zone.owesEpoch, !isOutdated else {
            return .complete
        }
        try sealAnew(for: zone.epoch.number)
        while true {
            let load = try load(zone.epoch.number)
            guard !load.isEmpty else { return .complete }
            guard try await send(load) else { return .again }
        }
    }

    /// Seals the queue under the keys of the current epoch, as far as the device's lock lets it.
    private func sealAnew(for epoch: UInt32) throws {
        try store.change { transaction in
            guard let keys = try transaction.book.keys(of: epoch) else { return }
            for change in try transaction.book.outgoing() where change.record.epoch != epoch {
                guard let item = try transaction.open(change.record, at: change.slot) else { continue }
                let shape = try transaction.book.slot(change.slot)?.shape
                let record = try SyncRecord(item, at: change.slot, keys, in: place, replacing: shape)
                try transaction.book.replace(record, at: change.slot)
            }
        }
    }

    /// The first changes of the queue that fit into a commit; those of one local transaction together.
    private func load(_ epoch: UInt32) throws -> Load {
        try store.change { transaction in
            let held = Set(try transaction.book.waiting().filter { $0.reason == .locked }.map(\.slot))
            var load = Load()
            var byteCount = 0
            let queue = try transaction.book.outgoing()
            let groups = Dictionary(grouping: queue, by: \.group)
            var seen: Set<UInt64> = []
            for number in queue.map(\.group) where seen.insert(number).inserted {
                let group = groups[number] ?? []
                // What waits at a slot is merged first; what is sealed under a former key is sealed anew first.
                guard group.allSatisfy({ !held.contains($0.slot) && $0.record.epoch == epoch }) else { continue }
                let size = group.reduce(0) { $0 + $1.record.bytes.count }
                let fits =
                    load.changes.count + group.count <= SyncFormat.Limit.changes
                    && byteCount + size <= SyncFormat.Limit.commitRecordsByteCount
                if !fits, load.changes.isEmpty {
                    // No commit has room for all of it.
                    load.changes = Self.beginning(of: group)
                }
                guard fits else { break }
                load.changes += group
                byteCount += size
            }
            load.forgotten = try forgettable(
                transaction,
                limit: SyncFormat.Limit.changes - load.changes.count,
                except: Set(queue.map(\.slot)).union(held)
            )
            return load
        }
    }

    private static func beginning(of group: [OutgoingChange]) -> [OutgoingChange] {
        var byteCount = 0
        return Array(
            group.prefix(SyncFormat.Limit.changes).prefix { change in
                byteCount += change.record.bytes.count
                return byteCount <= SyncFormat.Limit.commitRecordsByteCount
            }
        )
    }

    /// Tombstones that every device has seen, or that are old enough.
    private func forgettable(
        _ transaction: SyncTransaction,
        limit: Int,
        except others: Set<Bytes16>
    ) throws -> [Bytes16] {
        guard let circle, let chain else { return [] }
        let seen = circle.devices.map { $0 == member ? chain.number : confirmed[$0] ?? 0 }
        var forgotten: [Bytes16] = []
        for (slot, state) in try transaction.book.slots() where forgotten.count < limit && !others.contains(slot) {
            guard let local = try transaction.items.local(at: slot), local.isTombstone, local.version == state.agreed
            else { continue }
            let mayGo = SyncVersion.mayForget(
                tombstone: state.number,
                madeAt: local.version.date,
                confirmed: seen,
                now: transaction.items.now
            )
            if mayGo { forgotten.append(slot) }
        }
        return forgotten
    }

    /// Sends a commit.
    ///
    /// - Returns: Whether it counts; if not, everything is received first, and then it is made anew.
    private func send(_ load: Load) async throws -> Bool {
        let changes =
            load.changes.map { SyncCommit.Change(slot: $0.slot, hash: $0.record.hash) }
            + load.forgotten.map { SyncCommit.Change(slot: $0, hash: .zero) }
        guard let (commit, transaction) = try commit(changes, records: load.changes) else { return false }
        guard let version = try await deliver(commit, transaction) else { return false }
        try note(load, commit, version: version)
        return true
    }

    /// The next commit, and the transaction that puts it.
    func commit(
        _ changes: [SyncCommit.Change],
        records: [OutgoingChange] = [],
        by later: CircleView? = nil
    ) throws -> (SyncCommit, EngineTransaction)? {
        guard let circle = later ?? circle, let chain else { return nil }
        let now = try store.change { $0.items.now }
        let commit = try SyncCommit(changes, after: chain, circle.log, by: identity, date: now)
        var transaction = EngineTransaction()
        let key = paths.commit(commit.number)
        if chain.number > 0 {
            // The condition on the last commit also stops a device that slept until the log was shortened.
            guard let head else { return nil }
            transaction.conditions.append(.unchanged(paths.commit(chain.number), head))
        }
        transaction.conditions.append(uncounted.map { .unchanged(key, $0) } ?? .absent(key))
        transaction.puts.append(EngineTransaction.Put(key, commit.bytes))
        for change in records {
            transaction.puts.append(EngineTransaction.Put(paths.record(change.slot), change.record.bytes))
        }
        for change in changes where change.hash == .zero { transaction.deletes.append(paths.record(change.slot)) }
        return (commit, transaction)
    }

    /// Delivers a transaction with a commit.
    ///
    /// - Returns: The version of the commit in the engine; `nil` if others were faster, or nobody knows.
    func deliver(_ commit: SyncCommit, _ transaction: EngineTransaction) async throws -> EnginePosition? {
        do throws(EngineError) {
            switch try await engine.commit(transaction) {
            case .committed(let position): return position
            case .conflict: return nil
            }
        } catch {
            guard error == .outcomeUnknown else { throw error }
        }
        // Silence says nothing about the outcome: the commit itself does.
        let key = paths.commit(commit.number)
        guard let value = try await engine.read([key], at: nil).values[key], value.bytes == commit.bytes else {
            return nil
        }
        return value.version
    }

    private func note(_ load: Load, _ commit: SyncCommit, version: EnginePosition) throws {
        guard var next = chain, let circle else { return }
        // What ends here is received again, and recognized as our own.
        chain = nil
        try next.append(commit, circle.log)
        try store.change { transaction in
            let book = transaction.book
            for change in load.changes {
                let state = SlotState(
                    hash: change.record.hash,
                    number: commit.number,
                    shape: change.record.shape,
                    agreed: change.version
                )
                try book.setSlot(change.slot, state)
                try book.dropWaiting(change.slot)
                // It may have been changed again meanwhile.
                if try book.outgoing(at: change.slot)?.record.hash == change.record.hash {
                    try book.unqueue(change.slot)
                }
            }
            for slot in load.forgotten {
                let isUnchanged = try transaction.items.local(at: slot)?.version == book.slot(slot)?.agreed
                try book.setSlot(slot, nil)
                if isUnchanged, try book.outgoing(at: slot) == nil { try transaction.items.remove(slot) }
            }
            var progress = try book.progress()
            progress.mark = next.mark
            try book.setProgress(progress)
        }
        anchors[next.number] = next.anchor
        chain = next
        head = version
        uncounted = nil
        report.sent += load.changes.count
    }

    /// Tells the others how far this device is, at most daily.
    func tellOthers() async throws {
        guard let circle, let chain, circle.isMember else { return }
        let now = try store.change { transaction -> Timestamp? in
            let now = transaction.items.now
            guard let last = try transaction.book.progress().beaconDate else { return now }
            return abs(now.secondsSinceReferenceDate - last.secondsSinceReferenceDate) >= Self.day ? now : nil
        }
        guard let now else { return }
        let beacon = try SyncBeacon(chain, circle.log, by: identity, date: now)
        let put = EngineTransaction.Put(paths.beacon(member), beacon.bytes)
        do throws(EngineError) {
            _ = try await engine.commit(EngineTransaction(puts: [put]))
        } catch {
            // The next round tells it.
            guard error == .outcomeUnknown || error == .full else { throw error }
            return
        }
        try store.change { transaction in
            var progress = try transaction.book.progress()
            progress.beaconDate = now
            try transaction.book.setProgress(progress)
        }
    }

    private static let day = 86_400.0
}
