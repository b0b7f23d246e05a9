// SPDX-License-Identifier: Apache-2.0

import Crypto
import Foundation
import KeychainCore
import KeychainTestSupport
import Testing

@testable import KeychainSync

/// The test vectors, which are part of the format: what is made today opens and equals them, and a reader in another
/// language, written from Documentation/SyncFormat.md, says the same of them.
struct VectorTests {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    private static let file = folder.appendingPathComponent("Cases/vectors.jsonl")

    /// A row: its values are hexadecimal, or text.
    private typealias Row = [String: [String]]

    @Test("what is made today is in the vectors, but for what HPKE makes afresh")
    func same() throws {
        let made = try Self.rows()
        guard let text = try? String(contentsOf: Self.file, encoding: .utf8) else {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys]
            let lines = try made.map { String(decoding: try encoder.encode($0), as: UTF8.self) + "\n" }
            try lines.joined().write(to: Self.file, atomically: true, encoding: .utf8)
            Issue.record("the vectors are written anew: look at them")
            return
        }
        let kept = try text.split(separator: "\n").map { try JSONDecoder().decode(Row.self, from: Data($0.utf8)) }
        #expect(made.count == kept.count)
        for (made, kept) in zip(made, kept) {
            #expect(made.filter { !Self.isFresh($0.key) } == kept.filter { !Self.isFresh($0.key) })
        }
    }

    /// What depends on an encapsulation: boxes, and the entries that have their hashes.
    private static func isFresh(_ name: String) -> Bool { name.hasPrefix("fresh") }

    @Test("the kept boxes and entries are read today")
    func kept() throws {
        let text = try String(contentsOf: Self.file, encoding: .utf8)
        let rows = try text.split(separator: "\n").map { try JSONDecoder().decode(Row.self, from: Data($0.utf8)) }
        let circle = try SampleCircle()
        let row = try #require(rows.first { $0["kind"] == ["chain"] })
        let entries = try #require(row["freshEntries"]).map { try MembershipEntry(Self.bytes($0)) }
        var log = try MembershipLog(entries[0], circle: circle.place.circle)
        for entry in entries.dropFirst() { try log.append(entry) }
        var chain = ZoneChain(circle.place)
        for commit in try #require(row["freshCommits"]) { try chain.append(SyncCommit(Self.bytes(commit)), log) }
        #expect(chain.tree.root.bytes.hexadecimal == row["root"]?.first && chain.number == 2)
        let box = Self.bytes(try #require(row["freshBox"]?.first))
        let epoch = try #require(log.state.zones[circle.place.zone]).epoch
        let sender = circle.first.keys.identifier
        let keys = try ZoneKeys(box, for: SyncReceiver(circle.first), from: sender, epoch, in: circle.place)
        #expect(keys.commitments(in: circle.place) == epoch.commitments)
    }

    @Test("a reader in another language says the same of each vector")
    func reader() throws {
        let workshop = try Workshop()
        let reader = Self.folder.appendingPathComponent("Format/reader.py").path
        try workshop.run("/usr/bin/python3 -B \"$1\" \"$2\" > said", reader, Self.file.path)
        let said = try String(decoding: workshop.bytes("said"), as: UTF8.self)
        let text = try String(contentsOf: Self.file, encoding: .utf8)
        #expect(said == "\(text.split(separator: "\n").count) vectors\n")
        // It notices a digit that is another one, in each row.
        for (index, line) in text.split(separator: "\n").enumerated() {
            let name = line.contains("\"bytes\"") ? "\"bytes\":[\"" : "\"root\":[\""
            var altered = String(line)
            guard let range = altered.range(of: name) else { continue }
            let place = altered.index(range.upperBound, offsetBy: 41)
            altered.replaceSubrange(place...place, with: altered[place] == "0" ? "1" : "0")
            try workshop.write(Array(altered.utf8), to: "altered")
            #expect(throws: Workshop.Failure.self, "\(index)") {
                try workshop.run("/usr/bin/python3 -B \"$1\" altered > said 2>&1", reader)
            }
        }
    }

    private static func bytes(_ text: String) -> [UInt8] {
        stride(from: 0, to: text.count, by: 2).compactMap { offset in
            let start = text.index(text.startIndex, offsetBy: offset)
            return UInt8(text[start..<text.index(start, offsetBy: 2)], radix: 16)
        }
    }

    // MARK: The rows

    private static func rows() throws -> [Row] {
        var circle = try SampleCircle()
        var rows: [Row] = []
        for (byte, identity) in [(UInt8(0x10), circle.first), (0x20, circle.second)] {
            rows.append([
                "kind": ["member"], "signingSeed": [[UInt8](repeating: byte, count: 32).hexadecimal],
                "receivingSeed": [[UInt8](repeating: byte + 1, count: 32).hexadecimal],
                "bytes": [identity.keys.encoded.hexadecimal],
                "identifier": [identity.keys.identifier.bytes.hexadecimal],
            ])
        }
        rows.append(contentsOf: try records(circle))
        let key = SampleCircle.recoveryKey
        rows.append([
            "kind": ["recovery"], "text": [String(decoding: key.text.unprotectedCopy, as: UTF8.self)],
            "identifier": [circle.recovery.keys.identifier.bytes.hexadecimal],
            "locator": [SyncLocator.identifier(key).bytes.hexadecimal],
            "circle": [circle.place.circle.bytes.hexadecimal],
            "bytes": [try SyncLocator.seal(circle.place.circle, key, nonce: Array(1...12)).hexadecimal],
        ])
        rows.append([
            "kind": ["text"], "circle": [circle.place.circle.bytes.hexadecimal],
            "keys": Self.keys(circle), "bytes": [try circle.text(Array("laptop".utf8)).encoded.hexadecimal],
            "content": [Array("laptop".utf8).hexadecimal],
        ])
        rows.append(try invitation(circle))
        try circle.commit([circle.record("a"), circle.record("b", level: "ck")])
        try circle.commit([circle.record("a", date: 6_000)])
        let box = try #require(circle.boxes[circle.first.keys.identifier])
        let beacon = try SyncBeacon(circle.chain, circle.log, by: circle.first, date: SampleCircle.date(1))
        rows.append([
            "kind": ["chain"], "circle": [circle.place.circle.bytes.hexadecimal],
            "zone": [circle.place.zone.bytes.hexadecimal], "keys": Self.keys(circle),
            "formerKeys": Self.keys(try SampleCircle.former(circle)),
            "signingSeed": [[UInt8](repeating: 0x10, count: 32).hexadecimal],
            "receivingSeed": [[UInt8](repeating: 0x11, count: 32).hexadecimal],
            "freshEntries": circle.entries.map { $0.bytes.hexadecimal },
            "freshCommits": circle.commits.map { $0.bytes.hexadecimal }, "freshBox": [box.hexadecimal],
            "freshBeacon": [beacon.bytes.hexadecimal], "root": [circle.chain.tree.root.bytes.hexadecimal],
            "records": circle.records.keys.inOrder.compactMap { circle.records[$0]?.hexadecimal },
        ])
        return rows
    }

    private static func keys(_ circle: SampleCircle) -> [String] { keys(circle.keys) }

    /// The epoch, A, C and that of slots.
    private static func keys(_ keys: ZoneKeys) -> [String] {
        var epoch: [UInt8] = []
        epoch.append(littleEndian: keys.epoch)
        return [epoch.hexadecimal]
            + [keys.whenUnlocked, keys.afterFirstUnlock, keys.slots].map {
                $0.withUnsafeBytes { Array($0).hexadecimal }
            }
    }

    private static func records(_ circle: SampleCircle) throws -> [Row] {
        var rows: [Row] = []
        let (slot, record) = try circle.record("é")
        let tombstone = try SyncItem(tombstone: .genericPassword, date: SampleCircle.date(9_000))
        let deleted = try SyncRecord(
            tombstone,
            at: slot,
            circle.keys,
            in: circle.place,
            replacing: record.shape,
            salt: SampleCircle.identifier(0x54),
            nonce: Array(0..<12)
        )
        for sealed in [record, deleted] {
            let item = try sealed.open(at: slot, circle.keys, in: circle.place)
            rows.append([
                "kind": ["record"], "circle": [circle.place.circle.bytes.hexadecimal],
                "zone": [circle.place.zone.bytes.hexadecimal], "keys": keys(circle), "slot": [slot.bytes.hexadecimal],
                "bytes": [sealed.bytes.hexadecimal], "hash": [sealed.hash.bytes.hexadecimal],
                "digest": [item.digest(at: slot).bytes.hexadecimal], "tombstone": [item.isTombstone ? "1" : "0"],
                "secret": [item.isTombstone ? "" : Array("secret".utf8).hexadecimal],
            ])
        }
        return rows
    }

    private static func invitation(_ circle: SampleCircle) throws -> Row {
        let code = SampleCircle.code(0x40)
        let invitation = SyncInvitation(code)
        let anchor = ZoneAnchor(
            zone: circle.place.zone,
            number: 7,
            hash: SyncDigest(hashing: [1]),
            root: SyncDigest(hashing: [2])
        )
        let offer = SyncInvitation.Offer(
            try MembershipLog(circle.entries[0], circle: circle.place.circle),
            anchors: [anchor],
            sponsor: circle.first.keys.identifier,
            expiry: SampleCircle.date(1_000)
        )
        let member = try SyncMember(circle.second, .owner, in: circle.place.circle)
        let request = SyncInvitation.Request(member, name: "laptop")
        return [
            "kind": ["invitation"], "text": [String(decoding: code.text.unprotectedCopy, as: UTF8.self)],
            "identifier": [invitation.identifier.bytes.hexadecimal],
            "bytes": [try invitation.seal(offer, nonce: Array(0..<12)).hexadecimal],
            "request": [try invitation.seal(request, nonce: Array(1...12)).hexadecimal],
            "circle": [circle.place.circle.bytes.hexadecimal], "name": ["laptop"],
            "member": [circle.second.keys.identifier.bytes.hexadecimal],
        ]
    }
}

extension SampleCircle {
    /// The keys of the epoch before, as the log has them.
    static func former(_ circle: SampleCircle) throws -> ZoneKeys {
        guard let zone = circle.log.state.zones[circle.place.zone] else { throw SyncFault.epoch }
        return try circle.keys.former(zone.epoch, in: circle.place)
    }
}
