// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainSync
import KeychainSynchronization
import SyncTestSupport
import Testing

/// The end of tombstones, and devices that were away for long.
struct AbsenceTests {
    private static let halfYear = 181.0 * 86_400

    @Test("a tombstone that every device has seen is forgotten, and the item stays deleted")
    func forgotten() async throws {
        let circle = try await ModelCircle(2)
        try circle[0].set("a", "one")
        try await circle.settle()
        try circle[0].delete("a")
        try await circle.settle()
        #expect(circle[0].tombstones.count == 1)
        // The beacons of the next day say that both have seen it.
        circle.time.advance(by: 2 * 86_400)
        try await circle.settle()
        #expect(circle[0].versions.isEmpty && circle[1].versions.isEmpty)
        try circle[1].set("a", "new")
        try await circle.settle()
        #expect(circle[0].secrets == ["a": "new"] && circle[1].secrets == ["a": "new"])
    }

    @Test("a tombstone is kept while a device has not seen it")
    func kept() async throws {
        let circle = try await ModelCircle(3)
        try circle[0].set("a", "one")
        try await circle.settle()
        await circle.members[2].connection.setReachable(false)
        try circle[0].delete("a")
        for _ in 0..<3 {
            circle.time.advance(by: 2 * 86_400)
            for index in 0...1 { try await circle.round(index) }
        }
        #expect(circle[0].tombstones.count == 1)
        await circle.members[2].connection.setReachable(true)
        try await circle.settle()
        #expect(circle[2].secrets.isEmpty)
    }

    @Test(
        "a device that was away for longer than tombstones stay deletes what is unchanged there, and sends its changes"
    )
    func away() async throws {
        let circle = try await ModelCircle(2)
        for account in ["unchanged", "changed", "stays"] { try circle[0].set(account, "old") }
        try await circle.settle()
        await circle.members[1].connection.setReachable(false)
        try circle[1].set("changed", "new")
        try circle[1].set("added", "new")
        try circle[0].delete("unchanged")
        try circle[0].delete("changed")
        try await circle.round(0)
        circle.time.advance(by: Self.halfYear)
        try await circle.round(0)
        #expect(circle[0].versions.count == 1)
        await circle.members[1].connection.setReachable(true)
        let report = try await circle.round(1)
        try await circle.settle()
        let expected = ["changed": "new", "stays": "old", "added": "new"]
        #expect(circle[0].secrets == expected && circle[1].secrets == expected)
        #expect(report.problems.count == 1)
    }

    @Test("a device whose place in the log is gone compares all records, by the root of the newest commit")
    func shortened() async throws {
        let circle = try await ModelCircle(2)
        for account in ["a", "b", "c"] { try circle[0].set(account, "old") }
        try await circle.settle()
        let paths = CirclePaths(circle.place)
        let before = try await circle.round(1).number
        try circle[0].set("a", "new")
        try await circle.round(0)
        try circle[0].delete("b")
        try await circle.round(0)
        circle.time.advance(by: Self.halfYear)
        try await circle.round(0)
        let newest = try await circle.round(0).number
        #expect(newest == before + 3)
        for number in 1..<newest { try await circle.put(paths.commit(number), nil) }
        let withheld = try #require(circle[0].versions.keys.first)
        let bytes = try #require(try await circle.record(withheld))
        try await circle.put(paths.record(withheld), nil)
        await #expect(throws: SyncStop.incomplete) { try await circle.round(1) }
        try await circle.put(paths.record(withheld), bytes)
        try await circle.round(1)
        #expect(circle[1].secrets == ["a": "new", "c": "old"])
        try circle[1].set("d", "more")
        try await circle.settle()
        #expect(circle[0].secrets == ["a": "new", "c": "old", "d": "more"] && circle[0].secrets == circle[1].secrets)
        let new = try await circle.join()
        try await circle.settle()
        #expect(circle[new].secrets == circle[0].secrets)
    }

    @Test("a device that slept until its place was gone cannot commit there")
    func sleeper() async throws {
        let circle = try await ModelCircle(2)
        try circle[0].set("a", "old")
        try await circle.settle()
        try circle[1].set("b", "mine")
        let number = try await circle.round(0).number
        let paths = CirclePaths(circle.place)
        // Between receiving and sending, others commit, and the log is shortened.
        let sleeping = InterposedEngine(engine: circle.engine) {
            for secret in ["new", "newer"] {
                try circle[0].set("a", secret)
                try await circle.round(0)
            }
            for number in number...number + 1 { try await circle.put(paths.commit(number), nil) }
        }
        let session = ZoneSession(circle.members[1].identity, in: circle.place, store: circle[1], engine: sleeping)
        _ = try await session.round()
        try await circle.settle()
        #expect(circle[0].secrets == ["a": "newer", "b": "mine"] && circle[1].secrets == circle[0].secrets)
    }

    @Test("a change that is made while its former version is on the way is sent, too")
    func changedMeanwhile() async throws {
        let circle = try await ModelCircle(2)
        try circle[1].set("b", "on the way")
        let interposed = InterposedEngine(engine: circle.engine) { try circle[1].set("b", "meanwhile") }
        let session = ZoneSession(circle.members[1].identity, in: circle.place, store: circle[1], engine: interposed)
        _ = try await session.round()
        circle.restart(1)
        try await circle.settle()
        #expect(circle[0].secret("b") == "meanwhile" && circle[1].secret("b") == "meanwhile")
    }

    @Test("a new epoch is there after the unlock; what was queued under the former one is sealed anew")
    func epochs() async throws {
        let circle = try await ModelCircle(3)
        try circle[1].set("a", "queued")
        circle[1].setLocked(true)
        try circle[0].set("c", "old epoch", level: "ck")
        try await circle.round(0)
        #expect(try await circle.session(0).remove(circle.members[2].identity.keys.identifier))
        try circle[0].set("d", "new epoch", level: "ck")
        try await circle.round(0)
        let report = try await circle.round(1)
        #expect(report.waiting == 2 && report.queued == 1)
        circle[1].setLocked(false)
        for _ in 0..<2 { for index in 0...1 { try await circle.round(index) } }
        let expected = ["a": "queued", "c": "old epoch", "d": "new epoch"]
        #expect(circle[0].secrets == expected && circle[1].secrets == expected)
        // Everything is under the new keys now, and nothing counts as overwritten by that.
        for slot in circle[0].versions.keys {
            #expect(try SyncRecord(try #require(try await circle.record(slot))).epoch == 3)
        }
        #expect(circle[0].overwritten.isEmpty && circle[1].overwritten.isEmpty)
    }
}

/// An engine with something that happens before the first commit.
private actor InterposedEngine: SyncEngine {
    let engine: MemoryEngine
    private var event: (@Sendable () async throws -> Void)?

    init(engine: MemoryEngine, event: @escaping @Sendable () async throws -> Void) {
        self.engine = engine
        self.event = event
    }

    func limits() async throws(EngineError) -> EngineLimits { try await engine.limits() }

    func read(_ keys: [EngineKey], at position: EnginePosition?) async throws(EngineError) -> EngineSnapshot {
        try await engine.read(keys, at: position)
    }

    func scan(
        _ range: EngineRange,
        at position: EnginePosition?,
        limit: Int
    ) async throws(EngineError) -> EnginePage { try await engine.scan(range, at: position, limit: limit) }

    func commit(_ transaction: EngineTransaction) async throws(EngineError) -> EngineOutcome {
        if let event {
            self.event = nil
            do { try await event() } catch { throw .broken("\(error)") }
        }
        return try await engine.commit(transaction)
    }

    nonisolated func changes(in range: EngineRange, after position: EnginePosition) -> EngineChanges {
        engine.changes(in: range, after: position)
    }
}
