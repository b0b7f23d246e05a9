// SPDX-License-Identifier: Apache-2.0

import Crypto
import KeychainCore
import Testing

@testable import KeychainProtection

/// Rows that the format before sealed (Documentation/Format.md, "Rows of format 2").
struct FormerRowTests {
    private let store: TestStore
    private let item: Item

    init() throws {
        store = try TestStore.withPasscode()
        item = Item(
            itemClass: .genericPassword,
            identifier: .counting(from: 1),
            attributes: [
                "acct": .string("a"), "agrp": .string("group"), "svce": .string("s"), "pdmn": .string("ak"),
            ],
            secret: "secret"
        )
    }

    /// A row as format 2 had it: with the tag of its digest among the others.
    private func formerRow() throws -> StoredRow {
        let device = try store.device()
        let tags = device.searchTags()
        var item = item
        var row = try device.seal(&item, tags: tags)
        let column = try #require(ItemSchema.of(.genericPassword)[.digest])
        let digest = try #require(item.attributes[.digest])
        row.former = []
        row.tags.append(AttributeTag(name: .digest, tag: tags.tag(in: .genericPassword, column: column, value: digest)))
        row.tags.sort { $0.name < $1.name }
        var metadata = MetadataCodec.encode(.init(attributes: item.attributes, hasSecret: true))
        metadata[0] = 2
        row.metadata = try RowPart(.metadata, of: row, keys: device).seal(metadata)
        row.secret = try RowPart(.secret, of: row, keys: device).seal(Array("secret".utf8))
        return row
    }

    private func expectItem(_ row: StoredRow) throws {
        let device = try store.device()
        let metadata = try device.openMetadata(of: row)
        #expect(metadata.attributes["acct"] == .string("a"))
        #expect(try device.openSecret(of: row, metadata) == "secret")
        try device.checkTags(of: row, metadata, device.searchTags())
    }

    @Test("a row opens as it lay in a store of format 2")
    func opens() throws { try expectItem(formerRow()) }

    @Test(
        "on a locked device the tag of its digest is sealed, for which no passcode is needed, and it still opens later"
    )
    func locked() throws {
        let row = try formerRow()
        let tag = try #require(row.tags.first { $0.name == .digest })
        let lockedDevice = Sealer(try store.keybag())
        let migrated = try lockedDevice.migrate(row, isInQuarantine: false, lockedDevice.searchTags())
        #expect(migrated.former?.count == 44)
        #expect(!migrated.tags.contains { $0.name == .digest })
        #expect((migrated.metadata, migrated.secret) == (row.metadata, row.secret))
        #expect(migrated.former.map { !$0.contains(tag.tag.bytes) } ?? false)
        try expectItem(migrated)
        // Once the keys are there, it becomes a row like any.
        let device = try store.device()
        let resealed = try #require(device.resealed(migrated, device.searchTags()))
        #expect(resealed.former == nil && resealed.version != row.version && resealed.secret.count == 60)
        try expectItem(resealed)
    }

    @Test("with its keys it is resealed at once, unless it was set aside")
    func unlocked() throws {
        let device = try store.device()
        let migrated = try device.migrate(formerRow(), isInQuarantine: false, device.searchTags())
        #expect(migrated.former == nil)
        try expectItem(migrated)
        let row = try formerRow()
        let aside = try device.migrate(row, isInQuarantine: true, device.searchTags())
        #expect((aside.metadata, aside.secret) == (row.metadata, row.secret))
        try expectItem(aside)
    }

    @Test(
        "the sealed tag of another row or version, an altered one and none are damage, and no row is of another format"
    )
    func altered() throws {
        let device = try store.device()
        let lockedDevice = Sealer(try store.keybag())
        let row = try lockedDevice.migrate(formerRow(), isInQuarantine: false, lockedDevice.searchTags())
        let other = try lockedDevice.migrate(formerRow(), isInQuarantine: false, lockedDevice.searchTags())
        var flipped = try #require(row.former)
        flipped[43] ^= 1
        let formers: [[UInt8]?] = [other.former, flipped, [], nil, [1]]
        for former in formers {
            var altered = row
            altered.former = former
            #expect(throws: ProtectionError.damagedRow(.metadata)) { try device.openMetadata(of: altered) }
        }
        var item = item
        var current = try device.seal(&item, tags: device.searchTags())
        current.former = []
        #expect(throws: ProtectionError.damagedRow(.metadata)) { try device.openMetadata(of: current) }
    }

    @Test("two sealed tags of the same digest have nothing in common")
    func differ() throws {
        let lockedDevice = Sealer(try store.keybag())
        let row = try formerRow()
        let sealed = try (0..<2).map { _ in
            try lockedDevice.migrate(row, isInQuarantine: false, lockedDevice.searchTags()).former
        }
        #expect(sealed[0] != sealed[1])
    }
}

extension RowPart {
    fileprivate func seal(_ bytes: [UInt8]) throws -> [UInt8] {
        try bytes.withUnsafeBytes { try seal($0) }
    }
}

extension [UInt8] {
    fileprivate func contains(_ other: [UInt8]) -> Bool {
        indices.dropLast(other.count - 1).contains { self[$0..<$0 + other.count] == other[...] }
    }
}
