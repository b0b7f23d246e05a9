// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import Testing

@testable import KeychainSync

/// What is verified of a commit before it counts; each test is of one check, and fails without it.
struct ZoneChainTests {
    private var circle: SampleCircle

    init() throws {
        circle = try SampleCircle()
        try circle.commit([circle.record("a"), circle.record("b", level: "ck")])
    }

    private func next(
        _ changes: [SyncCommit.Change] = [],
        by author: SyncIdentity? = nil,
        after chain: ZoneChain? = nil,
        _ log: MembershipLog? = nil
    ) throws -> SyncCommit {
        try SyncCommit(
            changes,
            after: chain ?? circle.chain,
            log ?? circle.log,
            by: author ?? circle.first,
            date: SampleCircle.date(3_000)
        )
    }

    @Test("C1: a commit of a stranger, of a recovery key, or with any byte altered does not count")
    func signature() throws {
        var chain = circle.chain
        #expect(throws: SyncFault.author(.commit)) { try chain.append(next(by: circle.second), circle.log) }
        #expect(throws: SyncFault.author(.commit)) { try chain.append(next(by: circle.recovery), circle.log) }
        let good = try next([SyncCommit.Change(slot: SampleCircle.identifier(1), hash: SyncDigest(hashing: []))])
        for index in good.bytes.indices {
            var bytes = good.bytes
            bytes[index] ^= 1
            #expect(throws: SyncFault.self, "\(index)") { try chain.append(SyncCommit(bytes), circle.log) }
        }
        // The signature alone decides about the author's time.
        var bytes = good.bytes
        bytes[169] ^= 1
        #expect(throws: SyncFault.signature(.commit)) { try chain.append(SyncCommit(bytes), circle.log) }
        #expect(chain == circle.chain)
        try chain.append(good, circle.log)
    }

    @Test("C2: number, hash and checkpoint follow; another zone's commit does not")
    func sequence() throws {
        var chain = circle.chain
        #expect(throws: SyncFault.sequence(.commit)) { try chain.append(circle.commits[0], circle.log) }
        let one = try next()
        let two = try next([SyncCommit.Change(slot: SampleCircle.identifier(1), hash: SyncDigest(hashing: []))])
        try chain.append(one, circle.log)
        var fork = circle.chain
        try fork.append(two, circle.log)
        let onOther = try next(after: fork)
        #expect(throws: SyncFault.sequence(.commit)) { try chain.append(onOther, circle.log) }
        var elsewhere = ZoneChain(SyncPlace(circle: circle.place.circle, zone: SampleCircle.identifier(1)))
        #expect(throws: SyncFault.place(.commit)) { try elsewhere.append(circle.commits[0], circle.log) }
    }

    @Test("the thousandth commit is the checkpoint that those after it name")
    func checkpoint() throws {
        var chain = ZoneChain(circle.place)
        var thousandth = SyncDigest.zero
        for number in 1...1_001 {
            let commit = try next(after: chain)
            #expect(commit.checkpoint == thousandth)
            try chain.append(commit, circle.log)
            if number == 1_000 { thousandth = commit.hash }
        }
        #expect(chain.checkpoint == thousandth && thousandth != .zero)
    }

    @Test("C3: a commit of an earlier epoch does not count")
    func epoch() throws {
        var circle = circle
        let former = circle.log
        try circle.append(.rotate([circle.rotated()]))
        var chain = circle.chain
        // By the entry before it is good; by the entry that rotated it would be of the wrong epoch.
        let old = try next(after: chain, former)
        try chain.append(next(after: chain, circle.log), circle.log)
        let late = try next(after: chain, former)
        #expect(throws: SyncFault.membership) { try chain.append(late, circle.log) }
        var bytes = old.bytes
        let fields = 5 + 32 + 8 + 64
        var membership: [UInt8] = []
        membership.append(littleEndian: circle.log.sequence)
        bytes.replaceSubrange(fields..<fields + 40, with: membership + circle.log.hash.bytes)
        let count = bytes.count - 64
        bytes.replaceSubrange(count..., with: try circle.first.signature("commit", Array(bytes[..<count])))
        var other = circle.chain
        #expect(throws: SyncFault.epoch) { try other.append(SyncCommit(bytes), circle.log) }
    }

    @Test("a removed device is shut out by the commit of its removal, whatever entry it refers to")
    func removed() throws {
        var circle = circle
        try circle.addSecond()
        let before = circle.log
        try circle.commit([circle.record("c")], by: circle.second)
        let gone = circle.second.keys.identifier
        try circle.append(.remove(gone, wipes: false, epochs: [circle.rotated(without: [gone])]))
        try circle.commit([])
        for log in [before, circle.log] {
            let late = try next(by: circle.second, after: circle.chain, log)
            #expect(throws: SyncFault.self) { try circle.chain.append(late, circle.log) }
        }
    }

    @Test("a commit by a membership that nobody knows does not count")
    func unknownMembership() throws {
        var other = circle
        try other.append(.minimumFormat(0))
        var chain = circle.chain
        let commit = try next(after: chain, other.log)
        #expect(throws: SyncFault.membership) { try chain.append(commit, circle.log) }
    }

    @Test("C4: a record altered, withheld or in another's place is named, and not applied")
    func records() throws {
        let (slotA, slotB) = (try circle.record("a").0, try circle.record("b", level: "ck").0)
        let whole = circle.chain.sound(circle.records, of: circle.commits)
        #expect(Set(whole.records.keys) == [slotA, slotB] && whole.damaged.isEmpty)
        var records = circle.records
        records[slotA] = nil
        #expect(circle.chain.sound(records, of: circle.commits).damaged == [slotA])
        records = [slotA: circle.records[slotB] ?? [], slotB: circle.records[slotA] ?? []]
        #expect(circle.chain.sound(records, of: circle.commits).damaged == [slotA, slotB].inOrder)
        records = circle.records
        records[slotB]?[60] ^= 1
        let partly = circle.chain.sound(records, of: circle.commits)
        #expect(partly.damaged == [slotB] && Set(partly.records.keys) == [slotA])
    }

    @Test("C4: a record of an earlier commit of its slot does not count")
    func replayed() throws {
        var circle = circle
        let former = circle.records
        let (slot, _) = try circle.record("a")
        try circle.commit([circle.record("a", date: 6_000)])
        #expect(circle.chain.sound(former, of: circle.commits).damaged == [slot])
    }

    @Test("C5: a root that is not that of the changes does not count")
    func root() throws {
        var bytes = try next().bytes
        let place = bytes.count - 64 - 2 - 32
        bytes[place] ^= 1
        let count = bytes.count - 64
        bytes.replaceSubrange(count..., with: try circle.first.signature("commit", Array(bytes[..<count])))
        var chain = circle.chain
        #expect(throws: SyncFault.root) { try chain.append(SyncCommit(bytes), circle.log) }
    }

    @Test("the root depends on the records alone, and not on their order or history")
    func tree() throws {
        var generator = SystemRandomNumberGenerator()
        let changes = (0..<300).map { index in
            SyncCommit.Change(slot: .random(), hash: SyncDigest(hashing: [UInt8(index & 255)]))
        }
        var one = SlotTree()
        one.apply(changes)
        var other = SlotTree()
        let extra = SyncCommit.Change(slot: SampleCircle.identifier(1), hash: SyncDigest(hashing: []))
        other.apply([extra])
        for change in changes.shuffled(using: &generator) { other.apply([change]) }
        #expect(one.root != other.root)
        other.apply([SyncCommit.Change(slot: extra.slot, hash: .zero)])
        #expect(one == other && one.root == other.root && one.records.count == 300)
    }

    @Test("an engine that has less, or another commit, is noticed; one whose log was shortened is not accused")
    func rollback() throws {
        let anchor = circle.chain.anchor
        #expect(anchor.judge(newest: 1, hash: anchor.hash) == .consistent)
        #expect(anchor.judge(newest: 5_000, hash: nil) == .consistent)
        #expect(anchor.judge(newest: 0, hash: nil) == .rolledBack)
        #expect(anchor.judge(newest: 1, hash: .zero) == .forked)
    }

    @Test("two devices that verified different commits of one number learn it from a beacon")
    func beacon() throws {
        var circle = circle
        try circle.addSecond()
        var other = circle.chain
        try circle.commit([])
        try other.append(
            next([SyncCommit.Change(slot: SampleCircle.identifier(1), hash: .zero)], after: other, circle.log),
            circle.log
        )
        let beacon = try SyncBeacon(other, circle.log, by: circle.second, date: .referenceDate)
        #expect(try SyncBeacon(beacon.bytes) == beacon && beacon.bytes.count == 238)
        #expect(try beacon.judge(circle.log, verified: circle.chain.anchor) == .forked)
        #expect(try beacon.judge(circle.log, verified: other.anchor) == .consistent)
        #expect(try beacon.judge(circle.log, verified: nil) == .consistent)
        for index in beacon.bytes.indices {
            var bytes = beacon.bytes
            bytes[index] ^= 1
            #expect(throws: SyncFault.self) { try SyncBeacon(bytes).judge(circle.log, verified: nil) }
        }
        let stranger = try SyncBeacon(other, circle.log, by: SampleCircle.device(0x70), date: .referenceDate)
        #expect(throws: SyncFault.author(.beacon)) { try stranger.judge(circle.log, verified: nil) }
    }

    @Test("a commit has at most sixty changes, each slot once")
    func limits() throws {
        let many = (0..<61).map { SyncCommit.Change(slot: SampleCircle.identifier($0), hash: .zero) }
        #expect(throws: SyncFault.tooLarge(.commit)) { try next(many) }
        #expect(throws: SyncFault.malformed(.commit)) { try next([many[0], many[0]]) }
        let most = try next(Array(many.dropLast()))
        #expect(try SyncCommit(most.bytes) == most && most.bytes.count == 275 + 60 * 48)
    }
}
