// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainSync

/// Applying what others did: membership first, then commits with the records that they name, at one position.
extension ZoneSession {
    /// Verified commits, with the records that they name last.
    struct News {
        /// A commit, and how far the zone is after it.
        struct Step {
            let changes: [SyncCommit.Change]
            let author: Bytes16
            let mark: ChainMark
        }

        var steps: [Step] = []
        var chain: ZoneChain
        /// The records that are those that the commits name.
        var records: [Bytes16: SyncRecord] = [:]
    }

    func receive() async throws {
        var attempt = 0
        while true {
            do {
                return try await receiveOnce()
            } catch EngineError.positionGone where attempt < 3 {
                // The history was shortened between two reads.
                attempt += 1
            }
        }
    }

    private func receiveOnce() async throws {
        let progress = try store.change { try $0.book.progress() }
        if let alarm = progress.alarm { throw SyncStop.alarm(alarm) }
        isOutdated = false
        let position = try await receiveMembership(after: progress)
        let started =
            try chain
            ?? store.change { transaction in
                let records = try transaction.book.slots().mapValues(\.hash)
                return ZoneChain(place, at: progress.mark, records: records)
            }
        // If applying ends anywhere, the store says how far it came.
        chain = nil
        let news = try await receiveCommits(after: started, at: position)
        try apply(news)
        chain = news.chain
        try await readWithheld(at: position)
        try openWaiting()
        try await compareBeacons(at: position)
    }

    // MARK: Membership

    private func receiveMembership(after progress: SyncProgress) async throws -> EnginePosition {
        let first = circle?.log.sequence ?? 0
        let (entries, position) = try await entries(paths.entries(from: first), at: nil)
        var view = circle
        for (index, entry) in entries.enumerated() {
            let sequence = first + UInt64(index)
            guard entry.key == paths.entry(sequence) else {
                found(.uncountedEntry(sequence, .sequence(.entry)))
                break
            }
            if index == 0, let view {
                guard SyncDigest(hashing: entry.value.bytes) == view.log.hash else { throw try stop(.forked) }
                continue
            }
            do throws(SyncFault) {
                let read = try MembershipEntry(entry.value.bytes)
                if view == nil {
                    view = try CircleView(read, of: member, in: place)
                } else {
                    try view?.append(read)
                }
            } catch {
                if index == 0 { throw try stop(.otherCircle) }
                takeNote(error)
                found(.uncountedEntry(sequence, error))
                break
            }
        }
        guard let view, !entries.isEmpty else {
            guard progress.membershipSequence == nil else { throw try stop(.rolledBack) }
            throw SyncStop.noCircle
        }
        try compare(view, with: progress)
        circle = view
        try await receiveKeys(view, at: position)
        return position
    }

    /// Compares with what this device verified before, or with what its invitation said.
    private func compare(_ view: CircleView, with progress: SyncProgress) throws {
        if let known = progress.membershipSequence {
            guard let state = view.log.state(at: known) else { throw try stop(.rolledBack) }
            guard state.hash == progress.membershipHash else { throw try stop(.forked) }
        } else if let offer, !offer.isConfirmed(by: view.log) {
            throw try stop(.otherCircle)
        }
        guard view.isMember, view.zone != nil else {
            guard progress.membershipSequence != nil else { throw SyncStop.notAdmitted }
            throw try stop(.removed)
        }
        try store.change { transaction in
            var noted = try transaction.book.progress()
            guard noted.membershipSequence != view.log.sequence else { return }
            noted.membershipSequence = view.log.sequence
            noted.membershipHash = view.log.hash
            try transaction.book.setProgress(noted)
        }
    }

    /// Opens the box of the current epoch, and with its keys those of the epochs before.
    private func receiveKeys(_ view: CircleView, at position: EnginePosition) async throws {
        guard let current = view.zone?.epoch else { return }
        let canOpen = try store.change { transaction in
            // The key that opens boxes is one of those that a lock removes.
            try transaction.book.keys(of: current.number) == nil
                && transaction.items.available.contains(.whenUnlocked)
        }
        guard canOpen else { return }
        guard let grant = view.boxes[current.number] else { return found(.noKeys(epoch: current.number)) }
        let key = paths.box(current.number, for: member)
        let value = try await engine.read([key], at: position).values[key]
        guard let box = value?.bytes, SyncDigest(hashing: box) == grant.hash,
            let keys = try? ZoneKeys(box, for: SyncReceiver(identity), from: grant.sender, current, in: place)
        else { return found(.noKeys(epoch: current.number)) }
        try store.change { transaction in
            var keys = keys
            try transaction.book.addKeys(keys)
            while keys.epoch > 1, let signed = view.epochs[keys.epoch], let former = view.epochs[keys.epoch - 1],
                try transaction.book.keys(of: former.number) == nil
            {
                keys = try keys.former(signed, in: place)
                guard keys.commitments(in: place) == former.commitments else {
                    return found(.noKeys(epoch: former.number))
                }
                try transaction.book.addKeys(keys)
            }
        }
    }

    // MARK: Commits

    private func receiveCommits(after started: ZoneChain, at position: EnginePosition) async throws -> News {
        var news = News(chain: started)
        var (rest, _) = try await entries(paths.commits(from: max(started.number, 1)), at: position)
        let newest = rest.last
        self.newest = newest?.key
        if started.number > 0 {
            guard let newest, newest.key >= paths.commit(started.number) else { throw try stop(.rolledBack) }
            if let own = rest.first, own.key == paths.commit(started.number) {
                guard SyncDigest(hashing: own.value.bytes) == started.hash else { throw try stop(.forked) }
                head = own.value.version
                rest.removeFirst()
            }
        }
        uncounted = nil
        if let next = rest.first, next.key != paths.commit(started.number + 1) {
            return try await compareAll(rest, after: started, at: position)
        }
        var commits: [SyncCommit] = []
        for entry in rest {
            do throws(SyncFault) {
                guard entry.key == paths.commit(news.chain.number + 1) else { throw .sequence(.commit) }
                let commit = try SyncCommit(entry.value.bytes)
                try verify(commit, &news.chain)
                commits.append(commit)
                news.steps.append(
                    News.Step(changes: commit.changes, author: commit.author, mark: news.chain.mark)
                )
                head = entry.value.version
            } catch {
                if error == .root { throw try stop(.diverged) }
                if isFork(entry, error, after: news.chain) { throw try stop(.forked) }
                takeNote(error)
                if entry.key == paths.commit(news.chain.number + 1) { uncounted = entry.value.version }
                found(.uncountedCommit(news.chain.number + 1, error))
                break
            }
        }
        try checkAnchor(news.chain)
        let wanted = Set(commits.flatMap(\.changes).map(\.slot)).filter { news.chain.tree.records[$0] != nil }
        let records = try await read(wanted.inOrder, at: position)
        for bytes in records.values { do { _ = try SyncRecord(bytes) } catch { takeNote(error) } }
        news.records = news.chain.sound(records, of: commits).records
        return news
    }

    /// What a program for a later version wrote is never replaced: nothing is sent.
    private func takeNote(_ fault: SyncFault) {
        guard case .newerFormat = fault else { return }
        isOutdated = true
        found(.newerFormat)
    }

    /// C1 to C3 and C5 of a commit; which then is one of the positions that beacons are compared with.
    private func verify(_ commit: SyncCommit, _ chain: inout ZoneChain) throws(SyncFault) {
        guard let circle else { throw .membership }
        try chain.append(commit, circle.log)
        note(chain.anchor)
    }

    private func note(_ anchor: ZoneAnchor) {
        anchors[anchor.number] = anchor
        if anchor.number > Self.anchorCount { anchors[anchor.number - Self.anchorCount] = nil }
    }

    /// Whether a commit that does not follow ours was signed by a member: it saw another history.
    private func isFork(_ entry: EngineEntry, _ fault: SyncFault, after chain: ZoneChain) -> Bool {
        guard fault == .sequence(.commit), let commit = try? SyncCommit(entry.value.bytes), let circle,
            commit.place == place, commit.number == chain.number + 1, commit.previous != chain.hash,
            let state = circle.log.state(at: commit.membershipSequence), state.hash == commit.membershipHash,
            let author = state.members[commit.author], author.commits(to: place.zone)
        else { return false }
        return commit.isSigned(by: author.keys)
    }

    /// What the invitation said of the zone has to be on the way of a first verification.
    private func checkAnchor(_ chain: ZoneChain) throws {
        guard let anchor = offer?.anchors.first(where: { $0.zone == place.zone }), anchor.number > 0 else { return }
        if chain.number < anchor.number { throw try stop(.rolledBack) }
        if let own = anchors[anchor.number], own.judge(anchor) == .forked { throw try stop(.forked) }
    }

    /// The log was shortened: everything is compared with all records, whose root the newest commit has.
    private func compareAll(
        _ commits: [EngineEntry],
        after started: ZoneChain,
        at position: EnginePosition
    ) async throws -> News {
        guard let circle else { throw SyncStop.noCircle }
        var records: [Bytes16: [UInt8]] = [:]
        for entry in try await entries(paths.records, at: position).entries {
            if let slot = paths.slot(entry.key) { records[slot] = entry.value.bytes }
        }
        let hashes = records.mapValues { SyncDigest(hashing: $0) }
        var news = News(chain: started)
        for entry in commits.reversed() {
            guard let commit = try? SyncCommit(entry.value.bytes), paths.commit(commit.number) == entry.key,
                (try? news.chain.jump(to: commit, circle.log, records: hashes)) != nil
            else {
                uncounted = entry.value.version
                continue
            }
            head = entry.value.version
            note(news.chain.anchor)
            let former = started.tree.records
            var changes = hashes.filter { former[$0.key] != $0.value }
            for slot in former.keys where hashes[slot] == nil { changes[slot] = .zero }
            news.steps = [
                News.Step(
                    changes: changes.map { SyncCommit.Change(slot: $0.key, hash: $0.value) }
                        .sorted { $0.slot.precedes($1.slot) },
                    author: commit.author,
                    mark: news.chain.mark
                )
            ]
            for slot in changes.keys { news.records[slot] = records[slot].flatMap { try? SyncRecord($0) } }
            try checkAnchor(news.chain)
            return news
        }
        throw SyncStop.incomplete
    }

    /// The records of slots, as they are at a position.
    func read(_ slots: [Bytes16], at position: EnginePosition?) async throws(EngineError) -> [Bytes16: [UInt8]] {
        var records: [Bytes16: [UInt8]] = [:]
        for start in stride(from: 0, to: slots.count, by: Self.readSize) {
            let part = slots[start..<min(start + Self.readSize, slots.count)]
            let values = try await engine.read(part.map(paths.record), at: position).values
            for slot in part { records[slot] = values[paths.record(slot)]?.bytes }
        }
        return records
    }

    // MARK: Beacons

    /// A member that verified another history tells of a fork.
    private func compareBeacons(at position: EnginePosition) async throws {
        guard let circle, let chain else { return }
        for entry in try await entries(paths.beacons, at: position).entries {
            guard let beacon = try? SyncBeacon(entry.value.bytes), paths.beacon(beacon.author) == entry.key,
                let verdict = try? beacon.judge(circle.log, verified: anchors[beacon.anchor.number])
            else { continue }
            if verdict == .forked { throw try stop(.forked) }
            // More than there is: the engine was rolled back, or somebody lies.
            if beacon.anchor.number > chain.number, newest.map({ $0 < paths.commit(beacon.anchor.number) }) ?? true {
                throw try stop(.rolledBack)
            }
            confirmed[beacon.author] = beacon.anchor.number
        }
    }

    private static let anchorCount: UInt64 = 1_000
    private static let readSize = 64
}
