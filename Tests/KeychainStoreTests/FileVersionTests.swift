// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainHost
import KeychainTestSupport
import Testing

@testable import KeychainStore

/// What a file says of the programs that can read and change it (Documentation/Format.md, "Versions").
struct FileVersionTests {
    @Test(
        "a file of another revision is read and changed by whoever it says",
        arguments: [
            // recorded, program, reads, changes
            (0x0000_0300, 0x0300, true, true), (0x0000_0305, 0x0300, true, true), (0x0001_0305, 0x0300, true, false),
            (0x0101_0305, 0x0300, false, false), (0x0001_0305, 0x0301, true, true), (0x0102_0305, 0x0301, true, false),
            (0x0000_0200, 0x0300, false, false), (0x0000_0400, 0x0300, false, false),
            (0x0000_0300, 0x0307, true, true),
        ] as [(Int64, UInt16, Bool, Bool)]
    )
    func programs(recorded: Int64, program: UInt16, reads: Bool, changes: Bool) {
        let version = FileVersion(recorded: recorded)
        #expect(version.canBeRead(by: program) == reads)
        #expect(version.canBeChanged(by: program) == changes)
        #expect(version.recorded == recorded)
    }

    /// A store of revision 3.9 with a search tag that this program does not know, and the row of another program in it.
    private static func laterStore(reader: Int64, writer: Int64) throws -> StoreFolder {
        let folder = try StoreFolder()
        try folder.open().add([.sample(.key, 1), .sample(.key, 2)])
        try folder.raw().execute(
            """
            ALTER TABLE items_keys ADD COLUMN t_news BLOB;
            UPDATE items_keys SET t_news = zeroblob(16) WHERE id = 2;
            PRAGMA user_version = \(reader << 24 | writer << 16 | 0x0309);
            """
        )
        return folder
    }

    @Test(
        "a store of a later revision that lets this one in is read and changed, tags that are not known here included"
    )
    func laterRevision() throws {
        let folder = try Self.laterStore(reader: 0, writer: 0)
        let store = try folder.open()
        let rows = try store.everyRow(.key)
        #expect(rows.map(\.row.tags.count) == [1, 2])
        #expect(rows[1].row.tags.last?.name == "news")
        // What is resealed here has no such tag, and so must not keep it.
        try store.write { (writer) throws(KeychainError) in _ = try writer.update(rows[1], to: .sample(.key, 2)) }
        #expect(try folder.raw().integer("SELECT count(*) FROM items_keys WHERE t_news IS NOT NULL") == 0)
        #expect(try store.add([.sample(.key, 3)]))
        #expect(try folder.raw().integer("PRAGMA user_version") == 0x0309)
    }

    @Test("one that lets this revision only read is read, and each change is refused with both versions")
    func onlyReader() throws {
        let store = try Self.laterStore(reader: 0, writer: 5).open()
        #expect(try store.everyRow(.key).count == 2)
        let failure = #expect(throws: KeychainError.self) { try store.add([.sample(.key, 3)]) }
        #expect(failure?.status == .notAvailable && failure?.kind == .storage(.newerFormat))
        for text in ["3.9", "changed since 3.5", FileFormat.text(of: FileFormat.version), "only be read"] {
            #expect(failure?.reason.contains(text) ?? false, "\(text)")
        }
        #expect(try store.everyRow(.key).count == 2)
    }

    @Test("one that does not let this revision read is refused with both versions, and left as it is")
    func noReader() throws {
        let folder = try Self.laterStore(reader: 4, writer: 5)
        let failure = #expect(throws: KeychainError.self) { try folder.open() }
        #expect(failure?.status == .notAvailable && failure?.kind == .storage(.newerFormat))
        for text in ["3.9", "read since 3.4", FileFormat.text(of: FileFormat.version)] {
            #expect(failure?.reason.contains(text) ?? false, "\(text)")
        }
        #expect(try folder.raw().integer("SELECT count(*) FROM items_keys WHERE t_news IS NOT NULL") == 1)
    }

    @Test("a store that gets a later revision while it is open is opened again, where that lets this one in")
    func whileOpen() throws {
        let folder = try StoreFolder()
        let store = try folder.open()
        try store.add([.sample(.key, 1)])
        try folder.raw().execute("PRAGMA user_version = \(0x0309)")
        let failure = #expect(throws: KeychainError.self) { try store.everyRow(.key) }
        #expect(failure?.isBusy ?? false)
        #expect(!store.isCurrent)
        #expect(try folder.open().everyRow(.key).count == 1)
        try folder.raw().execute("PRAGMA user_version = \(0x0409)")
        let refusal = #expect(throws: KeychainError.self) { try folder.open() }
        #expect(refusal?.kind == .storage(.newerFormat))
    }
}
