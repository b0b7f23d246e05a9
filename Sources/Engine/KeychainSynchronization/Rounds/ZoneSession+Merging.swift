// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainSync

/// Merging records into the items of this device.
extension ZoneSession {
    /// Applies verified commits in transactions of at most 500 changes, each of which notes how far it came.
    func apply(_ news: News) throws {
        var rest = news.steps[...]
        while !rest.isEmpty {
            var count = 0
            let steps = rest.prefix { step in
                count += step.changes.count
                return count <= Self.changesOfTransaction || count == step.changes.count
            }
            rest = rest.dropFirst(steps.count)
            try store.change { transaction in
                for step in steps {
                    for change in step.changes { try take(change, of: step, in: news, transaction) }
                }
                var progress = try transaction.book.progress()
                progress.mark = steps.last?.mark ?? progress.mark
                try transaction.book.setProgress(progress)
            }
        }
    }

    private func take(
        _ change: SyncCommit.Change,
        of step: News.Step,
        in news: News,
        _ transaction: SyncTransaction
    ) throws {
        let book = transaction.book
        guard change.hash != .zero else { return try forget(change.slot, transaction) }
        let former = try book.slot(change.slot)
        var state = SlotState(
            hash: change.hash,
            number: step.mark.number,
            shape: former?.shape,
            agreed: former?.agreed
        )
        guard news.chain.tree.records[change.slot] == change.hash else {
            // A later commit names the slot again: its record is the one that is there.
            return try book.setSlot(change.slot, state)
        }
        guard let record = news.records[change.slot] else {
            found(.withheld(change.slot))
            try book.setSlot(change.slot, state)
            return try book.keep(
                WaitingRecord(slot: change.slot, record: nil, author: step.author, reason: .withheld)
            )
        }
        state.shape = record.shape
        try book.setSlot(change.slot, state)
        if let own = try book.outgoing(at: change.slot), own.record.hash == record.hash {
            // Our own, of which the answer was lost, or the note.
            try agree(on: own.version, at: change.slot, transaction)
            try book.unqueue(change.slot)
            return try book.dropWaiting(change.slot)
        }
        try arrive(record, at: change.slot, by: step.author, transaction)
    }

    /// A record that is verified: opens and merges it, or keeps it until that is possible.
    private func arrive(
        _ record: SyncRecord,
        at slot: Bytes16,
        by author: Bytes16,
        _ transaction: SyncTransaction
    ) throws {
        let book = transaction.book
        func wait(_ reason: WaitingRecord.Reason) throws {
            try book.keep(WaitingRecord(slot: slot, record: record, author: author, reason: reason))
        }
        guard transaction.items.available.contains(record.level), let keys = try book.keys(of: record.epoch) else {
            return try wait(.locked)
        }
        guard let item = try? record.open(at: slot, keys, in: place) else {
            found(.closed(slot, author: author))
            return try wait(.closed)
        }
        guard try transaction.items.accepts(item) else {
            found(.refused(slot, author: author))
            return try wait(.refused)
        }
        try merge(item, at: slot, by: author, transaction)
        try book.dropWaiting(slot)
        report.merged += 1
    }

    /// The rule of Documentation/SyncFormat.md, "Merging".
    private func merge(
        _ item: SyncItem,
        at slot: Bytes16,
        by author: Bytes16,
        _ transaction: SyncTransaction
    ) throws {
        let (book, items) = (transaction.book, transaction.items)
        let incoming = item.version(at: slot)
        if incoming.date.secondsSinceReferenceDate > items.now.secondsSinceReferenceDate + Self.day {
            found(.dateAhead(slot, author: author))
        }
        let local = try items.local(at: slot)
        let own = try book.outgoing(at: slot)
        // Nobody else has what is damaged here, unless it waits in the queue.
        let isLost = (local?.isQuarantined ?? false) && own == nil
        // What is only sealed anew is no change.
        let hasUnsent = try own.map { try $0.version != book.slot(slot)?.agreed } ?? false
        switch incoming.arriving(at: isLost ? nil : local?.version, hasUnsent: hasUnsent) {
        case .same:
            if own?.version == incoming { try book.unqueue(slot) }
            if local?.isQuarantined ?? false { try items.put(item, at: slot) }
            try agree(on: incoming, at: slot, transaction)
        case .replace(let listsLoser):
            if listsLoser {
                try items.keepOverwritten(slot, by: author)
                report.overwritten.append(slot)
            }
            try items.put(item, at: slot)
            try book.unqueue(slot)
            try agree(on: incoming, at: slot, transaction)
        case .keep:
            if own == nil { try transaction.enlist(slot) }
        }
    }

    private func agree(on version: SyncVersion, at slot: Bytes16, _ transaction: SyncTransaction) throws {
        guard var state = try transaction.book.slot(slot) else { return }
        state.agreed = version
        try transaction.book.setSlot(slot, state)
    }

    /// A slot that is absent: its item was deleted, unless it is new or was changed here.
    private func forget(_ slot: Bytes16, _ transaction: SyncTransaction) throws {
        let (book, items) = (transaction.book, transaction.items)
        let agreed = try book.slot(slot)?.agreed
        let local = try items.local(at: slot)
        let own = try book.outgoing(at: slot)
        try book.dropWaiting(slot)
        try book.setSlot(slot, nil)
        guard let local else { return }
        let isChanged = local.version != agreed
        switch SyncVersion.absent(wasSynchronized: agreed != nil, changedSince: isChanged) {
        case .delete: try items.remove(slot)
        case .send:
            if agreed != nil, !local.isTombstone { found(.broughtBack(slot)) }
            if own == nil { try transaction.enlist(slot) }
        }
    }

    // MARK: What could not be applied before

    /// Opens what waited for the unlock.
    func openWaiting() throws {
        let waiting = try store.change { transaction in
            try transaction.book.waiting().filter { waiting in
                guard waiting.reason == .locked, let record = waiting.record else { return false }
                return try transaction.items.available.contains(record.level)
                    && transaction.book.keys(of: record.epoch) != nil
            }
        }
        for start in stride(from: 0, to: waiting.count, by: Self.changesOfTransaction) {
            let part = waiting[start..<min(start + Self.changesOfTransaction, waiting.count)]
            try store.change { transaction in
                for waiting in part {
                    guard let record = waiting.record else { continue }
                    try arrive(record, at: waiting.slot, by: waiting.author, transaction)
                }
            }
        }
    }

    /// Looks again for records that the engine did not have.
    func readWithheld(at position: EnginePosition) async throws {
        let missing = try store.change { transaction in
            try transaction.book.waiting().filter { $0.reason == .withheld }
        }
        guard !missing.isEmpty else { return }
        let records = try await read(missing.map(\.slot), at: position)
        try store.change { transaction in
            for waiting in missing {
                guard let bytes = records[waiting.slot], let record = try? SyncRecord(bytes),
                    var state = try transaction.book.slot(waiting.slot), state.hash == record.hash
                else {
                    found(.withheld(waiting.slot))
                    continue
                }
                state.shape = record.shape
                try transaction.book.setSlot(waiting.slot, state)
                try arrive(record, at: waiting.slot, by: waiting.author, transaction)
            }
        }
    }

    /// Fetches the items of damaged rows again: from the queue, else from the circle.
    func heal() async throws {
        let damaged = try store.change { try $0.items.damaged() }
        guard !damaged.isEmpty else { return }
        let records = try await read(damaged, at: nil)
        try store.change { transaction in
            let (book, items) = (transaction.book, transaction.items)
            for slot in damaged where try items.local(at: slot)?.isQuarantined ?? false {
                if let own = try book.outgoing(at: slot) {
                    if let item = try transaction.open(own.record, at: slot) { try items.put(item, at: slot) }
                } else if let bytes = records[slot], let record = try? SyncRecord(bytes),
                    try book.slot(slot)?.hash == record.hash, let item = try transaction.open(record, at: slot)
                {
                    try items.put(item, at: slot)
                    try agree(on: item.version(at: slot), at: slot, transaction)
                }
            }
        }
    }

    /// Queues what is here and in no queue: after joining, and after what could not be sealed while locked.
    func enlist() throws {
        guard try store.change({ try $0.book.progress().owesEnlisting }) else { return }
        var last: Bytes16?
        var isComplete = true
        while true {
            let part = try store.change { transaction in
                let part = try transaction.items.slots(after: last, limit: Self.changesOfTransaction)
                for slot in part where try isUnqueued(slot, transaction) {
                    try transaction.enlist(slot)
                    if try transaction.book.outgoing(at: slot) == nil { isComplete = false }
                }
                return part
            }
            guard let next = part.last else { break }
            last = next
        }
        guard isComplete else { return }
        try store.change { transaction in
            var progress = try transaction.book.progress()
            progress.owesEnlisting = false
            try transaction.book.setProgress(progress)
        }
    }

    private func isUnqueued(_ slot: Bytes16, _ transaction: SyncTransaction) throws -> Bool {
        guard let local = try transaction.items.local(at: slot), !local.isQuarantined else { return false }
        return try transaction.book.outgoing(at: slot) == nil && transaction.book.waiting(at: slot) == nil
            && transaction.book.slot(slot)?.agreed != local.version
    }

    private static let changesOfTransaction = 500
    private static let day = 86_400.0
}
