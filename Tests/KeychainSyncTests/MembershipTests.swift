// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import Testing

@testable import KeychainSync

/// Who is in a circle, by the signed entries alone.
struct MembershipTests {
    private var circle: SampleCircle

    init() throws { circle = try SampleCircle() }

    /// A log that refuses an entry stays as it was.
    private func refused(
        _ fault: SyncFault?,
        _ action: MembershipEntry.Action,
        by author: SyncIdentity? = nil
    ) throws {
        var log = circle.log
        let entry = try MembershipEntry(action, after: log, by: author ?? circle.first, date: SampleCircle.date(9))
        #expect(throws: SyncFault.self) { try log.append(entry) }
        if let fault { #expect(throws: fault) { try log.append(entry) } }
        #expect(log == circle.log)
    }

    @Test("the circle's identifier is that of its first entry, whatever the address says")
    func circleIdentifier() throws {
        let other = try MembershipEntry(founding: circle.first, salt: SampleCircle.identifier(9), date: .referenceDate)
        #expect(other.circle != circle.place.circle)
        #expect(throws: SyncFault.place(.entry)) { try MembershipLog(other, circle: circle.place.circle) }
        var bytes = circle.entries[0].bytes
        bytes[70] ^= 1
        #expect(throws: SyncFault.self) {
            try MembershipLog(MembershipEntry(bytes), circle: circle.place.circle)
        }
        bytes = circle.entries[0].bytes
        bytes[bytes.count - 1] ^= 1
        #expect(throws: SyncFault.signature(.entry)) {
            try MembershipLog(MembershipEntry(bytes), circle: circle.place.circle)
        }
    }

    @Test("an entry reads as it was written, and a log of what was read is the same")
    func roundTrip() throws {
        var circle = circle
        try circle.addSecond()
        try circle.append(.name(circle.second.keys.identifier, circle.text(Array("laptop".utf8))))
        try circle.append(.minimumFormat(0))
        let gone = circle.second.keys.identifier
        try circle.append(.remove(gone, wipes: true, epochs: [circle.rotated(without: [gone])]))
        try circle.append(.rotate([circle.rotated()]))
        try circle.append(.move(circle.text(Array("https://other".utf8))))
        let read = try circle.entries.map { try MembershipEntry($0.bytes) }
        #expect(read == circle.entries)
        var log = try MembershipLog(read[0], circle: circle.place.circle)
        for entry in read.dropFirst() { try log.append(entry) }
        #expect(log == circle.log)
        #expect(log.state.hasMoved && log.state.members.count == 2)
    }

    @Test("an entry by a stranger, replayed, out of order, of another circle, or altered in any byte does not count")
    func forged() throws {
        var circle = circle
        try refused(.author(.entry), .minimumFormat(0), by: circle.second)
        let before = circle.log
        try circle.append(.minimumFormat(0))
        let entry = circle.entries[3]
        #expect(throws: SyncFault.sequence(.entry)) { try circle.log.append(entry) }
        for index in entry.bytes.indices {
            var bytes = entry.bytes
            bytes[index] ^= 0x40
            var log = before
            #expect(throws: SyncFault.self) { try log.append(MembershipEntry(bytes)) }
        }
        var other = try MembershipLog(
            MembershipEntry(founding: circle.first, salt: SampleCircle.identifier(1), date: .referenceDate),
            circle: MembershipEntry(founding: circle.first, salt: SampleCircle.identifier(1), date: .referenceDate)
                .circle
        )
        #expect(throws: SyncFault.place(.entry)) { try other.append(circle.entries[1]) }
    }

    @Test("a device signs for itself: nobody enters another one, in another role, or for another circle")
    func proof() throws {
        var circle = circle
        let writer = try SyncMember(circle.second, .writer, in: circle.place.circle, zones: [circle.place.zone])
        let stray = try SyncMember(circle.second, .owner, in: SampleCircle.identifier(3))
        #expect(writer.isProven(in: circle.place.circle) && !stray.isProven(in: circle.place.circle))
        try refused(.signature(.entry), .add(stray, grants: [circle.grant(stray)]))
        try circle.append(.add(writer, grants: [circle.grant(writer)]))
    }

    @Test("boxes are for exactly those who read, of exactly the zones, and of the present epoch")
    func boxes() throws {
        var circle = circle
        let member = try SyncMember(circle.second, .owner, in: circle.place.circle)
        try refused(nil, .add(member, grants: []))
        let grant = try circle.grant(member)
        let former = KeyGrant(zone: grant.zone, epoch: grant.epoch - 1, hash: grant.hash)
        try refused(.epoch, .add(member, grants: [former]))
        try refused(nil, .rotate([circle.rotated(adding: [member])]))
        circle = try SampleCircle()
        try refused(nil, .rotate([circle.rotated(without: [circle.recovery.keys.identifier])]))
        try refused(nil, .rotate([]))
    }

    @Test("an epoch skipped, or with another slot key, does not count")
    func epochs() throws {
        var circle = circle
        _ = try circle.rotated()
        try refused(.epoch, .rotate([circle.rotated()]))
        circle = try SampleCircle()
        circle.keys = ZoneKeys(
            epoch: circle.keys.epoch,
            SampleCircle.seed(1),
            SampleCircle.seed(2),
            slots: SampleCircle.seed(3)
        )
        try refused(.key, .rotate([circle.rotated()]))
    }

    @Test("a removal brings new keys, and nobody removes itself or the last who may add")
    func removal() throws {
        var circle = circle
        try circle.addSecond()
        let copy = circle
        let gone = circle.second.keys.identifier
        var log = circle.log
        let without = try MembershipEntry(
            .remove(gone, wipes: false, epochs: []),
            after: log,
            by: circle.first,
            date: .referenceDate
        )
        #expect(throws: SyncFault.self) { try log.append(without) }
        let own = circle.first.keys.identifier
        let itself = try MembershipEntry(
            .remove(own, wipes: false, epochs: [circle.rotated(without: [own])]),
            after: log,
            by: circle.first,
            date: .referenceDate
        )
        #expect(throws: SyncFault.self) { try log.append(itself) }
        circle = copy
        try circle.append(.remove(gone, wipes: false, epochs: [circle.rotated(without: [gone])]))
        #expect(circle.log.state.members[gone] == nil && circle.keys.epoch == 3)
        // What the removed device signs afterwards is by nobody.
        let late = try MembershipEntry(.minimumFormat(0), after: circle.log, by: circle.second, date: .referenceDate)
        #expect(throws: SyncFault.author(.entry)) { try circle.log.append(late) }
    }

    @Test("a writer and a recovery key do what their roles allow and nothing else")
    func roles() throws {
        var circle = circle
        try circle.addSecond(.writer)
        let second = circle.second
        for action: MembershipEntry.Action in [
            .minimumFormat(0), .rotate([try circle.rotated()]),
            .name(circle.first.keys.identifier, try circle.text([1])),
        ] {
            var log = circle.log
            let entry = try MembershipEntry(action, after: log, by: second, date: .referenceDate)
            #expect(throws: SyncFault.author(.entry)) { try log.append(entry) }
        }
        circle = try SampleCircle()
        try circle.addSecond(.writer)
        try circle.append(.name(second.keys.identifier, circle.text([1])), by: second)
        let third = try SampleCircle.device(0x40)
        let owner = try SyncMember(third, .owner, in: circle.place.circle)
        let late = try MembershipEntry(.minimumFormat(0), after: circle.log, by: circle.recovery, date: .referenceDate)
        #expect(throws: SyncFault.author(.entry)) { try circle.log.append(late) }
        try circle.append(.add(owner, grants: [circle.grant(owner)]), by: circle.recovery)
        #expect(circle.log.state.members[third.keys.identifier]?.role == .owner)
    }

    @Test("who leaves chooses no keys: nothing is committed until somebody else has made new ones")
    func leave() throws {
        var circle = circle
        try circle.addSecond()
        try circle.append(.leave, by: circle.second)
        #expect(circle.log.state.zones[circle.place.zone]?.owesEpoch == true)
        let record = try circle.record("a")
        #expect(throws: SyncFault.epoch) { try circle.commit([record]) }
        try circle.append(.rotate([circle.rotated()]))
        try circle.commit([circle.record("a")])
    }

    @Test("another recovery key takes the place of the former one")
    func recoveryKey() throws {
        var circle = circle
        let other = try SyncIdentity(SampleCircle.code(0x31))
        let member = try SyncMember(other, .recovery, in: circle.place.circle)
        let former = circle.recovery.keys.identifier
        try circle.append(.recovery(member, epochs: [circle.rotated(adding: [member], without: [former])]))
        #expect(circle.log.state.recovery?.identifier == other.keys.identifier)
        #expect(circle.log.state.members[former] == nil)
    }

    @Test("after a move nothing counts here any more")
    func move() throws {
        var circle = circle
        try circle.append(.move(circle.text([1])))
        let late = try MembershipEntry(.minimumFormat(0), after: circle.log, by: circle.first, date: .referenceDate)
        #expect(throws: SyncFault.self) { try circle.log.append(late) }
    }
}
