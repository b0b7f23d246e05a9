// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainSync
import KeychainSynchronization
import SyncTestSupport
import Testing

/// What an engine's operator, a removed device or a malicious member tries; each test is of one check.
struct AttackTests {
    private let circle: ModelCircle
    private let paths: CirclePaths

    init() async throws {
        circle = try await ModelCircle(3)
        paths = CirclePaths(circle.place)
    }

    /// Another commit than the one that is there, or the next one, by somebody.
    private func commit(
        by identity: SyncIdentity,
        after number: UInt64,
        _ changes: [SyncCommit.Change] = [],
        root: Bool = true
    ) async throws -> [UInt8] {
        var log: MembershipLog?
        for sequence in 0...20 as ClosedRange<UInt64> {
            guard let bytes = try await value(paths.entry(sequence)) else { break }
            let entry = try MembershipEntry(bytes)
            if log == nil {
                log = try MembershipLog(entry, circle: circle.place.circle)
            } else {
                try log?.append(entry)
            }
        }
        let members = try #require(log)
        var chain = ZoneChain(circle.place)
        for number in 1..<(number + 1) {
            try chain.append(SyncCommit(try #require(try await value(paths.commit(number)))), members)
        }
        if !root {
            var records = chain.tree.records
            records[.random()] = SyncDigest(hashing: [1])
            chain = ZoneChain(circle.place, at: chain.mark, records: records)
        }
        let date = Timestamp(secondsSinceReferenceDate: circle.time.now)
        return try SyncCommit(changes, after: chain, members, by: identity, date: date).bytes
    }

    private func value(_ key: EngineKey) async throws -> [UInt8]? {
        try await circle.engine.read([key], at: nil).values[key]?.bytes
    }

    /// Two items, of which the second device knows the first.
    private func items() async throws -> (Bytes16, Bytes16) {
        let (first, _) = try circle[0].set("a", "one", level: "ck")
        try await circle.settle()
        let (second, _) = try circle[0].set("b", "two", level: "ck")
        _ = try circle[0].set("a", "three", level: "ck")
        try await circle.round(0)
        return (first, second)
    }

    private func number() async throws -> UInt64 { try await circle.round(0).number }

    // MARK: C4: records

    @Test("C4: an altered record is withheld; the others arrive, and it does when it is there again")
    func altered() async throws {
        let (first, second) = try await items()
        let bytes = try #require(try await circle.record(first))
        var altered = bytes
        altered[100] ^= 1
        try await circle.put(paths.record(first), altered)
        #expect(try await circle.round(1).problems == [.withheld(first)])
        #expect(circle[1].secrets == ["a": "one", "b": "two"])
        _ = second
        try await circle.put(paths.record(first), bytes)
        #expect(try await circle.round(1).problems.isEmpty)
        #expect(circle[1].secrets == ["a": "three", "b": "two"])
    }

    @Test("C4: another slot's record, an earlier one, and none are withheld")
    func moved() async throws {
        let (slot, _) = try circle[0].set("a", "one", level: "ck")
        try await circle.settle()
        let earlier = try #require(try await circle.record(slot))
        let (other, _) = try circle[0].set("b", "two", level: "ck")
        _ = try circle[0].set("a", "three", level: "ck")
        try await circle.round(0)
        for bytes in [earlier, try await circle.record(other), nil] {
            try await circle.put(paths.record(slot), bytes)
            #expect(try await circle.round(1).problems == [.withheld(slot)])
            #expect(circle[1].secrets == ["a": "one", "b": "two"])
        }
        // A change of that slot by anybody ends it.
        try circle[2].set("a", "four", level: "ck")
        try await circle.settle()
        #expect(circle[1].secrets == ["a": "four", "b": "two"] && circle[0].secrets == circle[1].secrets)
    }

    // MARK: C1 to C3: commits

    @Test("C1: a stranger's commit does not count, is reported, and is replaced by the next one")
    func stranger() async throws {
        let number = try await number()
        let bytes = try await commit(by: SyncIdentity(), after: number)
        try await circle.put(paths.commit(number + 1), bytes)
        #expect(try await circle.round(1).problems == [.uncountedCommit(number + 1, .author(.commit))])
        try circle[0].set("a", "one")
        try await circle.settle()
        #expect(circle[1].secret("a") == "one" && circle[2].secret("a") == "one")
    }

    @Test("C1: an altered commit does not count, and its records neither")
    func alteredCommit() async throws {
        let (_, _) = try await items()
        let number = try await number()
        var bytes = try #require(try await value(paths.commit(number)))
        bytes[200] ^= 1
        try await circle.put(paths.commit(number), bytes)
        let report = try await circle.round(1)
        #expect(report.problems.count == 1 && report.merged == 0 && circle[1].secrets == ["a": "one"])
    }

    @Test("C2: a commit that does not follow, by a member, is another history")
    func fork() async throws {
        let number = try await number()
        let saved = await circle.engine.backup()
        try circle[0].set("a", "one")
        try await circle.round(0)
        try await circle.round(1)
        // The engine shows another history to one device, and then both to each other.
        await circle.engine.restore(saved)
        try circle[2].set("b", "two")
        try await circle.round(2)
        #expect(circle[2].secret("a") == nil)
        await #expect(throws: SyncStop.alarm(.forked)) { try await circle.round(1) }
        #expect(circle[1].secret("a") == "one")
        // It stays stopped, and its own items are as good as ever.
        try circle[1].set("c", "three")
        circle.restart(1)
        await #expect(throws: SyncStop.alarm(.forked)) { try await circle.round(1) }
        #expect(circle[1].book.progress.alarm == .forked && circle[1].secret("c") == "three")
        _ = number
    }

    @Test("C2: an engine that was rolled back is noticed by who was there before")
    func rollback() async throws {
        let saved = await circle.engine.backup()
        try circle[0].set("a", "one")
        try await circle.round(0)
        await circle.engine.restore(saved)
        await #expect(throws: SyncStop.alarm(.rolledBack)) { try await circle.round(0) }
        // Who was not, is told by the beacon of who was; without one it goes on.
        try await circle.round(1)
    }

    @Test("C2: commits out of order, and one that is missing, do not count")
    func order() async throws {
        try await circle.settle()
        for index in 0..<3 {
            try circle[0].set("a", "\(index)")
            try await circle.round(0)
        }
        let number = try await number()
        let last = try #require(try await value(paths.commit(number)))
        try await circle.put(paths.commit(number - 1), last)
        let report = try await circle.round(1)
        #expect(report.number == number - 2)
        #expect(report.problems.first == .uncountedCommit(number - 1, .sequence(.commit)))
        // The record is that of a commit that does not count.
        #expect(report.problems.count == 2 && circle[1].secret("a") == nil)
    }

    @Test("C3: what a removed device writes after its removal does not count, whatever entry it names")
    func removed() async throws {
        try circle[2].set("a", "before")
        try await circle.settle()
        let gone = circle.members[2].identity
        let former = try await number()
        let early = try await commit(by: gone, after: former)
        #expect(try await circle.session(0).remove(gone.keys.identifier))
        try await circle.round(0)
        try await circle.round(1)
        await #expect(throws: SyncStop.alarm(.removed)) { try await circle.round(2) }
        #expect(circle[2].secret("a") == "before")
        let number = try await number()
        let late = try await commit(by: gone, after: number)
        for bytes in [early, late] {
            try await circle.put(paths.commit(number + 1), bytes)
            let report = try await circle.round(1)
            #expect(report.number == number && report.problems.count == 1)
        }
        try circle[0].set("a", "after")
        try await circle.round(0)
        try await circle.round(1)
        #expect(circle[1].secret("a") == "after")
        // Nothing that is there now opens with the keys that it had.
        let slot = try #require(circle[1].versions.keys.first)
        let record = try SyncRecord(try #require(try await circle.record(slot)))
        #expect(record.epoch == 3)
    }

    @Test("C5: a root that is not that of the changes stops the zone")
    func root() async throws {
        let number = try await number()
        let bytes = try await commit(by: circle.members[2].identity, after: number, root: false)
        try await circle.put(paths.commit(number + 1), bytes)
        await #expect(throws: SyncStop.alarm(.diverged)) { try await circle.round(1) }
    }

    // MARK: Membership

    @Test("a forged entry does not count; neither does one that is replayed, nor a box that was not signed")
    func entries() async throws {
        try await circle.settle()
        let newest = try #require(try await value(paths.entry(4)))
        var forged = newest
        forged[70] ^= 1
        for bytes in [forged, newest] {
            try await circle.put(paths.entry(5), bytes)
            circle.restart(1)
            let report = try await circle.round(1)
            #expect(report.problems.count == 1 && report.isComplete)
        }
        try await circle.put(paths.entry(5), nil)
        let index = try await circle.join()
        let member = circle.members[index].identity.keys.identifier
        let other = try #require(try await value(paths.box(2, for: circle.members[1].identity.keys.identifier)))
        try await circle.put(paths.box(2, for: member), other)
        #expect(try await circle.round(index).problems == [.noKeys(epoch: 2)])
    }

    @Test("an entry that is gone, or another one, is a rollback or a fork")
    func entryGone() async throws {
        try await circle.settle()
        let newest = try #require(try await value(paths.entry(4)))
        try await circle.put(paths.entry(4), nil)
        await #expect(throws: SyncStop.alarm(.rolledBack)) { try await circle.round(1) }
        circle.restart(2)
        await #expect(throws: SyncStop.alarm(.rolledBack)) { try await circle.round(2) }
        try await circle.put(paths.entry(4), newest + [0])
        await #expect(throws: SyncStop.alarm(.forked)) { try await circle.round(0) }
    }

    @Test("an engine without the circle, and one with another circle, is not this one")
    func otherCircle() async throws {
        let elsewhere = SyncPlace(circle: .random(), zone: circle.place.zone)
        let identity = circle.members[0].identity
        let device = ModelDevice(elsewhere, circle.time)
        let session = ZoneSession(identity, in: elsewhere, store: device, engine: circle.engine)
        await #expect(throws: SyncStop.noCircle) { try await session.round() }
        let first = try await value(paths.entry(0))
        try await circle.put(CirclePaths(elsewhere).entry(0), first)
        await #expect(throws: SyncStop.alarm(.otherCircle)) { try await session.round() }
    }

    @Test("a device that is not admitted yet waits; that is no alarm")
    func notAdmitted() async throws {
        let identity = try SyncIdentity()
        let device = ModelDevice(circle.place, circle.time)
        let session = ZoneSession(identity, in: circle.place, store: device, engine: circle.engine)
        await #expect(throws: SyncStop.notAdmitted) { try await session.round() }
        let member = try SyncMember(identity, .owner, in: circle.place.circle)
        #expect(try await circle.session(0).admit(member))
        #expect(try await session.round().isComplete)
    }

    @Test("what a later version wrote is not replaced: a device that does not know it sends nothing")
    func newerFormat() async throws {
        try await circle.settle()
        let number = try await number()
        var bytes = try await commit(by: circle.members[2].identity, after: number)
        bytes[4] = 1
        try await circle.put(paths.commit(number + 1), bytes)
        try circle[1].set("a", "one")
        let report = try await circle.round(1)
        #expect(report.problems.contains(.newerFormat) && report.queued == 1 && report.sent == 0)
        #expect(try await value(paths.commit(number + 1)) == bytes)
        try await circle.put(paths.commit(number + 1), nil)
        #expect(try await circle.round(1).queued == 0)
    }

    @Test("who joins with an invitation sees no older state than the one that it says")
    func anchor() async throws {
        let saved = await circle.engine.backup()
        try circle[0].set("a", "one")
        try await circle.settle()
        let expiry = Timestamp(secondsSinceReferenceDate: circle.time.now + 900)
        let offer = try #require(try await circle.session(0).offer(until: expiry))
        let index = try await circle.join()
        let complete = await circle.engine.backup()
        await circle.engine.restore(saved)
        await #expect(throws: SyncStop.self) { try await circle.session(index, offer: offer).round() }
        await circle.engine.restore(complete)
        let other = try await circle.join()
        _ = try await circle.session(other, offer: offer).round()
        #expect(circle[other].secret("a") == "one")
    }

    // MARK: Beacons

    @Test("a beacon tells of a history that the engine hides")
    func beacon() async throws {
        try circle[0].set("a", "one")
        try await circle.settle()
        let saved = await circle.engine.backup()
        circle.time.advance(by: 2 * 86_400)
        try circle[0].set("a", "two")
        try await circle.round(0)
        let beacon = try #require(try await value(paths.beacon(circle.members[0].identity.keys.identifier)))
        await circle.engine.restore(saved)
        try await circle.put(paths.beacon(circle.members[0].identity.keys.identifier), beacon)
        await #expect(throws: SyncStop.alarm(.rolledBack)) { try await circle.round(1) }
    }
}
