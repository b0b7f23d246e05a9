// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainTestSupport
import Testing

@testable import KeychainStore

/// A store whose file declares something else than this package does: SQLite would do what it says, and report that all
/// is well.
struct DeclarationTests {
    private static func alteration(_ from: String, _ to: String, of name: String = "items_keys") -> String {
        """
        PRAGMA writable_schema = ON;
        UPDATE sqlite_schema SET sql = replace(sql, '\(from)', '\(to)') WHERE name = '\(name)';
        PRAGMA writable_schema = RESET;
        PRAGMA schema_version = 999;
        """
    }

    static let alterations: [String] = [
        alteration("former BLOB", "former BLOB NOT NULL ON CONFLICT IGNORE"),
        alteration("pk BLOB NOT NULL", "pk BLOB NOT NULL UNIQUE ON CONFLICT REPLACE"),
        alteration("damage INTEGER", "damage INTEGER DEFAULT 1"),
        alteration("damage INTEGER", "damage INTEGER CHECK (damage IS NOT NULL)"),
        alteration("uuid BLOB", "uuid BLOB COLLATE NOCASE"),
        alteration("bytes BLOB NOT NULL", "bytes BLOB NOT NULL ON CONFLICT IGNORE", of: "keybag"),
        alteration("WHERE damage IS NULL", "WHERE damage IS NOT NULL", of: "items_keys_pk"),
        "CREATE TRIGGER t BEFORE INSERT ON items_keys BEGIN SELECT RAISE(IGNORE); END",
        "ALTER TABLE items_keys RENAME TO kept; CREATE VIEW items_keys AS SELECT * FROM kept",
        "ALTER TABLE items_keys ADD COLUMN more AS (abs(-9223372036854775808))",
        "ALTER TABLE items_keys ADD COLUMN more", "CREATE VIEW more AS SELECT * FROM items_keys",
        "CREATE TABLE more (a)", "CREATE INDEX more ON items_keys (abs(damage))",
        "CREATE UNIQUE INDEX more ON items_keys (protection)", "DROP INDEX items_keys_uuid",
        "DROP INDEX items_keys_labl",
        "DROP TABLE items_cert",
    ]

    @Test("a store that declares something else is damaged, and nothing is acknowledged", arguments: alterations)
    func altered(_ sql: String) throws {
        let folder = try StoreFolder()
        try folder.open().add([.sample(.key, 1)])
        try folder.raw().execute(sql)
        let failure = #expect(throws: KeychainError.self) { try folder.open().add([.sample(.key, 2)]) }
        #expect(failure?.status == .notAvailable && failure?.kind == .storage(.damaged), "\(failure as Any)")
    }

    @Test("one that is altered while it is open is not changed any more", arguments: alterations)
    func alteredWhileOpen(_ sql: String) throws {
        let folder = try StoreFolder()
        let store = try folder.open()
        try store.add([.sample(.key, 1)])
        try folder.raw().execute(sql)
        #expect(throws: KeychainError.self) { try store.add([.sample(.key, 2)]) }
        #expect(!store.isCurrent)
    }

    @Test("a change that SQLite takes and does not make is an error, whatever the file declares", arguments: 0..<5)
    func notMade(_ change: Int) throws {
        let folder = try StoreFolder()
        let store = try folder.open()
        try store.add([.sample(.key, 1)])
        let row = try #require(store.everyRow(.key).first)
        let failure = #expect(throws: KeychainError.self) {
            try store.write { (writer) throws(KeychainError) in
                // In the midst of the transaction, so that no comparison comes before.
                try sql { () throws(SQLiteError) in try Self.ignoreRows(writer.connection) }
                switch change {
                case 0: _ = try writer.insert(.sample(.key, 2))
                case 1: _ = try writer.update(row, to: .sample(.key, 3))
                case 2: try writer.delete(row)
                case 3: try writer.quarantine(row, damage: 1)
                default: _ = try writer.release(row)
                }
            }
        }
        #expect(failure?.kind == .storage(.damaged), "\(failure as Any)")
        #expect(try store.everyRow(.key).map(\.row.identifier) == [row.row.identifier])
    }

    /// Has the table of keys be empty, and take no rows.
    private static func ignoreRows(_ connection: SQLiteConnection) throws(SQLiteError) {
        try connection.execute("DROP TABLE items_keys")
        for statement in Layout.itemTable(.key) {
            try connection.execute(
                statement.replacing("former BLOB", with: "former BLOB NOT NULL ON CONFLICT IGNORE")
            )
        }
    }

    @Test("statistics that somebody had SQLite make change nothing")
    func statistics() throws {
        let folder = try StoreFolder()
        try folder.open().add([.sample(.key, 1)])
        try folder.raw().execute("ANALYZE")
        #expect(try folder.open().add([.sample(.key, 2)]))
        #expect(try folder.open().everyRow(.key).count == 2)
    }

    @Test("a store of a later revision, whose tables are not all known, has no trigger and no view")
    func laterRevision() throws {
        let folder = try StoreFolder()
        try folder.open().add([.sample(.key, 1)])
        try folder.raw().execute("CREATE INDEX later ON items_keys (t_labl); PRAGMA user_version = \(0x0309)")
        #expect(try folder.open().everyRow(.key).count == 1)
        try folder.raw().execute("CREATE TRIGGER t AFTER INSERT ON items_keys BEGIN DELETE FROM items_keys; END")
        #expect(throws: KeychainError.self) { try folder.open() }
    }
}
