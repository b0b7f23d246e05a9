// SPDX-License-Identifier: Apache-2.0

import CSQLite
import Foundation
import Glibc
import KeychainCore
import KeychainHost
import KeychainTestSupport
import Testing

@testable import KeychainStore

/// From the tables of format 2 to those of this one (Documentation/Format.md, "From format 2").
struct FormatMigrationTests {
    /// A copy of the released store of format 2.
    private static func formerStore() throws -> StoreFolder {
        let folder = try StoreFolder()
        let released = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("KeychainEngineTests/Released/format-2/keychain.db")
        try folder.write(Data(contentsOf: released), to: "keychain.db")
        return folder
    }

    /// What a keychain does with a row whose keys are locked.
    fileprivate static func concealed(_ row: NumberedRow) -> StoredRow {
        var row = row.row
        row.former = row.tags.contains { $0.name == .digest } ? [9] : []
        row.tags.removeAll { $0.name == .digest }
        return row
    }

    private static func rows(_ store: Store) throws -> [NumberedRow] {
        try ItemClass.stored.flatMap { try store.everyRow($0) }
    }

    @Test("rows of format 2 are read as they are, and cannot be changed, until the store is brought up to date")
    func readable() throws {
        let folder = try Self.formerStore()
        let store = try folder.open()
        #expect(store.hasFormerTables)
        let rows = try Self.rows(store)
        #expect(rows.count == 6 && rows.allSatisfy { $0.row.former == [] })
        #expect(rows.filter { row in row.row.tags.contains { $0.name == .digest } }.count == 5)
        let failure = #expect(throws: KeychainError.self) { try store.write { (_) throws(KeychainError) in } }
        #expect(failure?.status == .notAvailable && failure?.kind == .storage(.readOnly))
        #expect(try folder.raw().integer("PRAGMA user_version") == 0x0200)
    }

    @Test("afterwards the tables are those of a new store, and the rows what was made of them, under their numbers")
    func migrated() throws {
        let folder = try Self.formerStore()
        let store = try folder.open()
        let before = try Self.rows(store)
        try store.migrate { (row) throws(KeychainError) in Self.concealed(row) }
        #expect(!store.hasFormerTables)
        let after = try Self.rows(store)
        #expect(after.map(\.number) == before.map(\.number))
        #expect(after.map(\.row) == before.map(Self.concealed))
        #expect(try store.deviceRecord().owesLogErasure)
        let new = try StoreFolder()
        _ = try new.open()
        let schema = "SELECT type || name || coalesce(sql, '') FROM sqlite_schema ORDER BY 1"
        #expect(try folder.raw().run(schema) == new.raw().run(schema))
        #expect(try folder.raw().integer("PRAGMA user_version") == Int(FileVersion.base.recorded))
        #expect(try store.structuralDefects() == [])
        try store.add([.sample(.key, 1)])
        #expect(try folder.open().everyRow(.key).count == 2)
    }

    @Test(
        "a row that is given resealed takes the place of the old one; one in quarantine keeps its bytes and its mark"
    )
    func resealed() throws {
        let folder = try Self.formerStore()
        try folder.raw().execute("UPDATE items_genp SET damage = 2 WHERE id = 1")
        let store = try folder.open()
        let quarantined = try store.everyRow(.genericPassword, quarantined: true)
        try store.migrate { (row) throws(KeychainError) in
            var new = row.row
            new.tags.removeAll { $0.name == .digest }
            new.former = nil
            new.metadata = [7]
            return new
        }
        #expect(try Self.rows(store).allSatisfy { $0.row.metadata == [7] && $0.row.former == nil })
        let aside = try store.everyRow(.genericPassword, quarantined: true)
        #expect(aside.map(\.damage) == [2] && aside.map(\.row.metadata) == quarantined.map(\.row.metadata))
    }

    @Test("columns of a wrong shape and parts that are too large stand in no way")
    func hostile() throws {
        let folder = try Self.formerStore()
        try folder.raw().execute(
            """
            INSERT INTO items_inet (uuid, protection, tombstone, generation, version, pk, t_acct, metadata, secret)
            VALUES ('text', x'01', 'x', 1.5, x'02', zeroblob(99), 7, zeroblob(20000000), 'text');
            """
        )
        let raw =
            "SELECT uuid, protection, tombstone, generation, version, pk, t_acct, secret FROM items_inet ORDER BY id"
        let before = try folder.raw().run(raw)
        let store = try folder.open()
        try store.migrate { (row) throws(KeychainError) in Self.concealed(row) }
        #expect(try folder.raw().run(raw) == before)
        #expect(try folder.raw().integer("SELECT max(length(metadata)) FROM items_inet") == 20_000_000)
        #expect(try !store.keybag().isEmpty)
    }

    @Test(
        "a store of format 2 with a foreign index, trigger, view or column is damaged, and left as it is",
        arguments: [
            "CREATE INDEX \"a \"\"name\" ON items_inet (protection)", "CREATE VIEW v AS SELECT * FROM nowhere",
            "CREATE TRIGGER t AFTER INSERT ON items_inet BEGIN DELETE FROM keybag; END",
            "ALTER TABLE items_inet ADD COLUMN more",
        ]
    )
    func foreignDeclarations(_ sql: String) throws {
        let folder = try Self.formerStore()
        try folder.raw().execute(sql)
        let failure = #expect(throws: KeychainError.self) { try folder.open() }
        #expect(failure?.kind == .storage(.damaged))
        #expect(try folder.raw().integer("PRAGMA user_version") == 0x0200)
    }

    @Test("two rows with one primary key, which only an altered index allows, are both kept, and one is set aside")
    func twice() throws {
        let folder = try Self.formerStore()
        try folder.raw().execute(
            """
            CREATE TEMP TABLE sound AS SELECT sql FROM sqlite_schema WHERE name = 'items_genp_pk';
            DROP INDEX items_genp_pk;
            UPDATE items_genp SET pk = (SELECT pk FROM items_genp WHERE id = 1) WHERE id = 2;
            CREATE INDEX items_genp_pk ON items_genp (pk) WHERE damage IS NULL;
            PRAGMA writable_schema = ON;
            UPDATE sqlite_schema SET sql = (SELECT sql FROM sound) WHERE name = 'items_genp_pk';
            PRAGMA writable_schema = RESET;
            """
        )
        let store = try folder.open()
        try store.migrate { (row) throws(KeychainError) in Self.concealed(row) }
        #expect(try store.everyRow(.genericPassword).count == 2)
        #expect(try store.everyRow(.genericPassword, quarantined: true).map(\.damage) == [4])
    }

    @Test("where it fails, the store is as it was")
    func failing() throws {
        let folder = try Self.formerStore()
        let store = try folder.open()
        let refusal = KeychainError(.allocate, "no")
        for count in 0..<6 {
            var left = count
            let failure = #expect(throws: KeychainError.self) {
                try store.migrate { (row) throws(KeychainError) in
                    guard left > 0 else { throw refusal }
                    left -= 1
                    return Self.concealed(row)
                }
            }
            #expect(failure?.status == .allocate)
            #expect(try Self.rows(store).allSatisfy { $0.row.former == [] })
        }
        try store.migrate { (row) throws(KeychainError) in Self.concealed(row) }
        #expect(try Self.rows(store).count == 6)
    }

    @Test("another connection that had it open is told to open it again, whichever of them brings it up to date")
    func otherConnection() throws {
        let folder = try Self.formerStore()
        let (first, second) = (try folder.open(), try folder.open())
        #expect(try Self.rows(second).count == 6)
        try first.migrate { (row) throws(KeychainError) in Self.concealed(row) }
        let failure = #expect(throws: KeychainError.self) { try Self.rows(second) }
        #expect(failure?.isBusy ?? false)
        #expect(!second.isCurrent)
        let migration = #expect(throws: KeychainError.self) {
            try second.migrate { (row) throws(KeychainError) in row.row }
        }
        #expect(migration?.isBusy ?? false)
        #expect(try Self.rows(folder.open()).count == 6)
    }

    @Test(
        "a process that is killed at any statement leaves the store of before or that of after",
        arguments: stride(from: 1, to: 130, by: 4).map(\.self)
    )
    func killed(_ count: Int) async throws {
        let folder = try Self.formerStore()
        let path = folder.path(of: ".")
        let result = await #expect(processExitsWith: .failure) { [path = path as String, count = count as Int] in
            let directory = try PrivateDirectory(KeychainLocation(path: path))
            let store = try Store.open(in: directory, options: StoreOptions()) { () throws(KeychainError) in [] }
            try KillingTrace.start(on: store.connection, after: count)
            try store.migrate { (row) throws(KeychainError) in FormatMigrationTests.concealed(row) }
            // All statements were run.
            Glibc.kill(getpid(), SIGKILL)
        }
        #expect(result?.exitStatus == .signal(SIGKILL))
        let store = try folder.open()
        #expect(try store.structuralDefects() == [])
        #expect(try Self.rows(store).count == 6)
        if store.hasFormerTables { try store.migrate { (row) throws(KeychainError) in Self.concealed(row) } }
        #expect(try Self.rows(store).filter { $0.row.former == [9] }.count == 5)
        #expect(try !store.keybag().isEmpty)
    }
}

/// Kills this process when a connection begins a statement, the last of so many.
private enum KillingTrace {
    nonisolated(unsafe) private static var left = 0

    static func start(on connection: SQLiteConnection, after count: Int) throws {
        left = count
        try connection.withHandle { (handle) throws(SQLiteError) in
            let status = sqlite3_trace_v2(
                handle,
                UInt32(SQLITE_TRACE_STMT),
                { _, _, _, _ in
                    KillingTrace.left -= 1
                    if KillingTrace.left == 0 { kill(getpid(), SIGKILL) }
                    return 0
                },
                nil
            )
            guard status == SQLITE_OK else { throw SQLiteError(code: status, operation: "tracing") }
        }
    }
}
