// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainSync

/// Who is in a circle: founding one, letting a device in, removing one.
extension ZoneSession {
    /// Founds a circle with one zone and a recovery key, in an engine that has none of it.
    ///
    /// - Parameters:
    ///   - identity: the founder.
    ///   - recoveryKey: the key that lets a device in when all are lost.
    ///   - engine: the engine.
    ///   - date: the time.
    /// - Returns: The zone. Its first commit is empty, because the recovery key brings an epoch.
    /// - Throws: ``SyncFault``, ``EngineError``.
    package static func found(
        _ identity: SyncIdentity,
        recoveryKey: RecoveryKey,
        in engine: any SyncEngine,
        date: Timestamp
    ) async throws -> SyncPlace {
        let founding = try MembershipEntry(founding: identity, date: date)
        var log = try MembershipLog(founding, circle: founding.circle)
        let place = SyncPlace(circle: founding.circle, zone: .random())
        let paths = CirclePaths(place)
        let first = ZoneKeys()
        let founder = log.state.readers(of: place.zone)
        let (firstEpoch, firstPuts) = try epoch(first, after: nil, for: founder, by: identity, place)
        let text = try SealedText(ZoneDescription(name: "default", groups: []).encoded, first, in: place)
        let zone = try MembershipEntry(.zone(firstEpoch, description: text), after: log, by: identity, date: date)
        try log.append(zone)
        let recovery = try SyncMember(SyncIdentity(recoveryKey), .recovery, in: place.circle)
        let second = try first.next()
        let readers = log.state.readers(of: place.zone) + [recovery]
        let (secondEpoch, secondPuts) = try epoch(second, after: first, for: readers, by: identity, place)
        let entry = try MembershipEntry(
            .recovery(recovery, epochs: [secondEpoch]),
            after: log,
            by: identity,
            date: date
        )
        try log.append(entry)
        let commit = try SyncCommit([], after: ZoneChain(place), log, by: identity, date: date)
        let locator = try SyncLocator.seal(place.circle, recoveryKey)
        var puts = [founding, zone, entry].map { EngineTransaction.Put(paths.entry($0.sequence), $0.bytes) }
        puts += firstPuts + secondPuts
        puts.append(EngineTransaction.Put(paths.commit(1), commit.bytes))
        puts.append(EngineTransaction.Put(CirclePaths.locator(SyncLocator.identifier(recoveryKey)), locator))
        let transaction = EngineTransaction(conditions: [.absent(paths.entry(0))], puts: puts)
        _ = try await engine.commit(transaction)
        return place
    }

    /// The signed part of keys, and their boxes for members.
    private static func epoch(
        _ keys: ZoneKeys,
        after former: ZoneKeys?,
        for readers: [SyncMember],
        by author: SyncIdentity,
        _ place: SyncPlace
    ) throws(SyncFault) -> (NewEpoch, [EngineTransaction.Put]) {
        var boxes: [NewEpoch.Box] = []
        var puts: [EngineTransaction.Put] = []
        for reader in readers {
            let box = try keys.box(
                for: (reader.identifier, reader.keys.receiving),
                from: author.keys.identifier,
                in: place
            )
            boxes.append(NewEpoch.Box(member: reader.identifier, hash: SyncDigest(hashing: box)))
            puts.append(EngineTransaction.Put(CirclePaths(place).box(keys.epoch, for: reader.identifier), box))
        }
        return (try NewEpoch(keys, after: former, in: place, boxes: boxes), puts)
    }

    /// Lets a device in, whose proof its request brought.
    ///
    /// - Returns: Whether it is in; if not, others were faster, and it is tried again.
    package func admit(_ added: SyncMember) async throws -> Bool {
        try await receive()
        guard let circle, let zone = circle.zone else { throw SyncStop.noCircle }
        if circle.log.state.members[added.identifier] != nil { return true }
        let (keys, now) = try store.change { (try $0.book.keys(of: zone.epoch.number), $0.items.now) }
        guard let keys else { throw SyncFault.key }
        let box = try keys.box(for: (added.identifier, added.keys.receiving), from: member, in: place)
        let grant = KeyGrant(zone: place.zone, epoch: keys.epoch, hash: SyncDigest(hashing: box))
        let entry = try MembershipEntry(.add(added, grants: [grant]), after: circle.log, by: identity, date: now)
        let outcome = try await engine.commit(
            EngineTransaction(
                conditions: [.absent(paths.entry(entry.sequence))],
                puts: [
                    EngineTransaction.Put(paths.entry(entry.sequence), entry.bytes),
                    EngineTransaction.Put(paths.box(keys.epoch, for: added.identifier), box),
                ]
            )
        )
        return outcome != .conflict
    }

    /// What a device that is let in now has to see.
    package func offer(until expiry: Timestamp) throws -> SyncInvitation.Offer? {
        guard let circle, let chain else { return nil }
        return SyncInvitation.Offer(circle.log, anchors: [chain.anchor], sponsor: member, expiry: expiry)
    }

    /// Removes a device: new keys for all others, and a commit after which no earlier membership counts.
    ///
    /// Then the queue has everything that is here, to be sealed anew.
    ///
    /// - Returns: Whether it is removed; if not, others were faster, and it is tried again.
    package func remove(_ removed: Bytes16, wipes: Bool = false) async throws -> Bool {
        try await receive()
        guard let circle, let zone = circle.zone, var next = chain else { throw SyncStop.noCircle }
        guard circle.log.state.members[removed] != nil else { return true }
        let (former, now) = try store.change { (try $0.book.keys(of: zone.epoch.number), $0.items.now) }
        guard let former else { throw SyncFault.key }
        let keys = try former.next()
        let readers = circle.log.state.readers(of: place.zone).filter { $0.identifier != removed }
        let (epoch, boxes) = try Self.epoch(keys, after: former, for: readers, by: identity, place)
        let entry = try MembershipEntry(
            .remove(removed, wipes: wipes, epochs: [epoch]),
            after: circle.log,
            by: identity,
            date: now
        )
        var after = circle
        try after.append(entry)
        guard let (commit, prepared) = try commit([], by: after) else { return false }
        var transaction = prepared
        transaction.conditions.append(.absent(paths.entry(entry.sequence)))
        transaction.puts.append(EngineTransaction.Put(paths.entry(entry.sequence), entry.bytes))
        transaction.puts += boxes
        chain = nil
        guard let version = try await deliver(commit, transaction) else { return false }
        try next.append(commit, after.log)
        try store.change { transaction in
            try transaction.book.addKeys(keys)
            try sealEverythingAnew(transaction)
            var progress = try transaction.book.progress()
            progress.mark = next.mark
            progress.membershipSequence = after.log.sequence
            progress.membershipHash = after.log.hash
            try transaction.book.setProgress(progress)
        }
        self.circle = after
        chain = next
        head = version
        uncounted = nil
        return true
    }

    /// Queues everything, of the versions that it has.
    private func sealEverythingAnew(_ transaction: SyncTransaction) throws {
        for slot in try transaction.items.slots(after: nil, limit: .max)
        where try transaction.book.outgoing(at: slot) == nil {
            try transaction.enlist(slot)
        }
    }
}

extension CirclePaths {
    /// The locator of a recovery key, outside of circles.
    package static func locator(_ identifier: Bytes16) -> EngineKey {
        EngineKey("swift-keychain/0/l/\(identifier.digits)")
    }
}
