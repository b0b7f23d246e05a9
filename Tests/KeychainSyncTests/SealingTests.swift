// SPDX-License-Identifier: Apache-2.0

import Crypto
import KeychainCore
import Testing

@testable import KeychainSync

/// Records, boxes, earlier keys and texts: they open where they belong, and nowhere else.
struct SealingTests {
    private var circle: SampleCircle

    init() throws { circle = try SampleCircle() }

    @Test("an item arrives with what travels, and without what stays", arguments: ["ak", "ck", "dk"])
    func item(_ level: String) throws {
        var given = SampleCircle.attributes("é", level: level)
        given["UUID"] = .string("local")
        given[.digest] = .data([1])
        let item = try SyncItem(.genericPassword, given, secret: SecretBytes([1, 2, 3]))
        let slot = circle.keys.slot(.genericPassword, given)
        let record = try SyncRecord(item, at: slot, circle.keys, in: circle.place)
        #expect((record.bytes.count - SyncRecord.overheadByteCount).isMultiple(of: 256))
        #expect(record.level == (level == "ak" ? .whenUnlocked : .afterFirstUnlock))
        let read = try SyncRecord(record.bytes).open(at: slot, circle.keys, in: circle.place)
        #expect(read == item)
        guard case .item(let attributes, let secret) = read.content else {
            Issue.record("a tombstone")
            return
        }
        #expect(secret == SecretBytes([1, 2, 3]) && attributes["zzzz"] == .data([1, 2]))
        #expect(!attributes.keys.contains { SyncItem.local.contains($0) })
    }

    @Test("an item of another level, with an access control, or without a date does not travel")
    func refused() throws {
        for level in ["aku", "cku", "dku", "akpu", ""] {
            #expect(throws: SyncFault.item) {
                try SyncItem(.genericPassword, SampleCircle.attributes("a", level: level), secret: nil)
            }
        }
        var attributes = SampleCircle.attributes("a")
        attributes[.modificationDate] = .string("today")
        #expect(throws: SyncFault.item) { try SyncItem(.genericPassword, attributes, secret: nil) }
        #expect(throws: SyncFault.item) {
            try SyncItem(.identity, SampleCircle.attributes("a"), secret: nil)
        }
        #expect(throws: SyncFault.item) {
            try SyncItem(.genericPassword, SampleCircle.attributes("a", date: 1e13), secret: nil)
        }
    }

    @Test("a record opens with its own keys, at its own slot, in its own zone and circle alone")
    func bound() throws {
        let (slot, record) = try circle.record("a")
        let elsewhere = SyncPlace(circle: circle.place.circle, zone: SampleCircle.identifier(1))
        let stranger = SyncPlace(circle: SampleCircle.identifier(1), zone: circle.place.zone)
        #expect(throws: SyncFault.closed(.record)) { try record.open(at: slot, circle.keys, in: elsewhere) }
        #expect(throws: SyncFault.closed(.record)) { try record.open(at: slot, circle.keys, in: stranger) }
        #expect(throws: SyncFault.closed(.record)) {
            try record.open(at: SampleCircle.identifier(1), circle.keys, in: circle.place)
        }
        #expect(throws: SyncFault.epoch) { try record.open(at: slot, circle.keys.next(), in: circle.place) }
        for index in record.bytes.indices {
            var bytes = record.bytes
            bytes[index] ^= 1
            #expect(throws: SyncFault.self) {
                try SyncRecord(bytes).open(at: slot, circle.keys, in: circle.place)
            }
        }
    }

    @Test("an item that a member sealed at the slot of another one is not accepted")
    func misplaced() throws {
        let item = try SyncItem(.genericPassword, SampleCircle.attributes("a"), secret: nil)
        let slot = circle.keys.slot(.genericPassword, SampleCircle.attributes("b"))
        let record = try SyncRecord(item, at: slot, circle.keys, in: circle.place)
        #expect(throws: SyncFault.item) { try record.open(at: slot, circle.keys, in: circle.place) }
    }

    @Test("a tombstone has class and size of the record that it replaces")
    func tombstone() throws {
        let (slot, record) = try circle.record("a")
        let deleted = try SyncItem(tombstone: .genericPassword, date: SampleCircle.date(9_000))
        let sealed = try SyncRecord(deleted, at: slot, circle.keys, in: circle.place, replacing: record.shape)
        #expect(sealed.bytes.count == record.bytes.count && sealed.level == record.level)
        let read = try sealed.open(at: slot, circle.keys, in: circle.place)
        #expect(read == deleted && read.isTombstone)
        let moved = try SyncRecord(deleted, at: SampleCircle.identifier(2), circle.keys, in: circle.place)
        #expect(moved.level == .afterFirstUnlock)
    }

    @Test("the largest record is 512 KiB, and one byte more is refused")
    func largest() throws {
        let attributes = SampleCircle.attributes("a")
        let slot = circle.keys.slot(.genericPassword, attributes)
        func size(_ count: Int) throws -> Int {
            let secret = SecretBytes([UInt8](repeating: 1, count: count))
            let item = try SyncItem(.genericPassword, attributes, secret: secret)
            let record = try SyncRecord(item, at: slot, circle.keys, in: circle.place)
            #expect(try record.open(at: slot, circle.keys, in: circle.place) == item)
            return record.bytes.count
        }
        var (fits, passes) = (500 * 1024, 512 * 1024)
        while passes - fits > 1 {
            let middle = (fits + passes) / 2
            if (try? size(middle)) != nil { fits = middle } else { passes = middle }
        }
        #expect(try size(fits) > 512 * 1024 - 256)
        #expect(throws: SyncFault.tooLarge(.record)) { try size(fits + 1) }
    }

    @Test("slots are equal where primary keys are, whatever else differs")
    func slots() throws {
        func slot(_ account: String, level: String = "ak", keys: ZoneKeys? = nil) -> Bytes16 {
            var attributes = SampleCircle.attributes(account, level: level)
            attributes[.synchronizable] = nil
            return (keys ?? circle.keys).slot(.genericPassword, attributes)
        }
        let (with, _) = try circle.record("a")
        #expect(slot("a") == with && slot("a", level: "ck") == with && slot("b") != with)
        #expect(slot("a", keys: try circle.keys.next()) == with && slot("a", keys: ZoneKeys()) != with)
    }

    @Test("the digest depends on attributes, their dates and the secret")
    func digest() throws {
        let slot = SampleCircle.identifier(1)
        func digest(_ attributes: Attributes, _ secret: [UInt8]?) throws -> SyncDigest {
            try SyncItem(.genericPassword, attributes, secret: secret.map { SecretBytes($0) }).digest(at: slot)
        }
        let all = [
            try digest(SampleCircle.attributes("a"), [1]), try digest(SampleCircle.attributes("a"), [2]),
            try digest(SampleCircle.attributes("a"), nil), try digest(SampleCircle.attributes("a"), []),
            try digest(SampleCircle.attributes("a", date: 5_001), [1]), try digest(SampleCircle.attributes("b"), [1]),
        ]
        #expect(Set(all).count == all.count)
    }

    @Test("a box opens for its member, of its sender, zone and epoch alone, and has the keys that were signed")
    func boxes() throws {
        var circle = circle
        let epoch = try circle.epoch(after: ZoneKeys(epoch: 1, SampleCircle.seed(1), SampleCircle.seed(2), slots: nil))
        let (first, recovery) = (circle.first.keys.identifier, circle.recovery.keys.identifier)
        let box = try #require(circle.boxes[first])
        #expect(box.count == ZoneKeys.boxByteCount && box.count == 1_237)
        #expect(epoch.boxes.map(\.hash).contains(SyncDigest(hashing: box)))
        let receiver = SyncReceiver(circle.first)
        let opened = try ZoneKeys(box, for: receiver, from: first, epoch, in: circle.place)
        #expect(opened.commitments(in: circle.place) == circle.keys.commitments(in: circle.place))
        let other = SyncPlace(circle: circle.place.circle, zone: SampleCircle.identifier(1))
        #expect(throws: SyncFault.closed(.box)) {
            try ZoneKeys(box, for: receiver, from: recovery, epoch, in: circle.place)
        }
        #expect(throws: SyncFault.closed(.box)) { try ZoneKeys(box, for: receiver, from: first, epoch, in: other) }
        #expect(throws: SyncFault.closed(.box)) {
            try ZoneKeys(box, for: SyncReceiver(circle.recovery), from: first, epoch, in: circle.place)
        }
        for index in [0, 4, 5, 1_124, 1_125, 1_236] {
            var bytes = box
            bytes[index] ^= 1
            #expect(throws: SyncFault.self) { try ZoneKeys(bytes, for: receiver, from: first, epoch, in: circle.place) }
        }
        #expect(throws: SyncFault.malformed(.box)) {
            try ZoneKeys(box.dropLast(), for: receiver, from: first, epoch, in: circle.place)
        }
        // Other keys of the same epoch than those that were signed.
        circle.keys = ZoneKeys(epoch: circle.keys.epoch, SampleCircle.seed(9), SampleCircle.seed(9), slots: nil)
        _ = try circle.epoch(after: ZoneKeys(epoch: 1, SampleCircle.seed(1), SampleCircle.seed(2), slots: nil))
        let wrong = try #require(circle.boxes[first])
        #expect(throws: SyncFault.key) { try ZoneKeys(wrong, for: receiver, from: first, epoch, in: circle.place) }
    }

    @Test("earlier keys come from those of an epoch, one by one")
    func earlier() throws {
        var circle = circle
        let former = circle.keys
        let epoch = try circle.rotated()
        let opened = try circle.keys.former(epoch, in: circle.place)
        #expect(opened.commitments(in: circle.place) == former.commitments(in: circle.place))
        #expect(opened.epoch == former.epoch)
        let other = SyncPlace(circle: SampleCircle.identifier(1), zone: circle.place.zone)
        #expect(throws: SyncFault.key) { try circle.keys.former(epoch, in: other) }
        #expect(throws: SyncFault.epoch) { try former.former(epoch, in: circle.place) }
    }

    @Test("a text opens in its zone and epoch")
    func text() throws {
        let text = try circle.text(Array("laptop".utf8))
        #expect(try text.open(circle.keys, in: circle.place) == Array("laptop".utf8))
        let other = SyncPlace(circle: SampleCircle.identifier(1), zone: circle.place.zone)
        #expect(throws: SyncFault.closed(.entry)) { try text.open(circle.keys, in: other) }
        #expect(throws: SyncFault.epoch) { try text.open(circle.keys.next(), in: circle.place) }
        #expect(throws: SyncFault.tooLarge(.entry)) { try circle.text([UInt8](repeating: 1, count: 4_097)) }
        for count in [0, 63, 64, 4_096] {
            let content = [UInt8](repeating: 0, count: count)
            #expect(try circle.text(content).open(circle.keys, in: circle.place) == content)
        }
    }
}
