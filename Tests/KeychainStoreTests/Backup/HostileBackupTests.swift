// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainCore
import KeychainHost
import KeychainStore
import KeychainTestSupport
import Testing

/// Files that are no backup, or no longer: each is refused, nothing of it runs, and nothing is left behind.
struct HostileBackupTests {
    private let source: StoreFolder
    private let target: StoreFolder

    init() throws {
        source = try StoreFolder()
        target = try StoreFolder()
        let store = try source.open()
        try store.add((1...20).map { .sample(.key, $0, secret: Array(repeating: $0, count: 700)) })
        _ = try store.writeCopy(
            to: source.directory,
            name: "backup",
            protections: ["ak"],
            destroyedGeneration: nil
        ) { (_) throws(KeychainError) in [8, 8] }
    }

    private func restore(_ name: String = "backup") throws -> Int {
        try Store.restoreCopy(
            from: source.path(of: name),
            in: target.directory,
            options: StoreOptions()
        ) { (keybag) throws(KeychainError) in keybag }
    }

    private func expectRefusal(_ name: String = "backup", _ what: String) throws {
        let before = try source.names()
        let failure = #expect(throws: KeychainError.self, "\(what)") { try restore(name) }
        #expect(failure?.status == .notAvailable, "\(what)")
        #expect(failure?.reason.contains(name) ?? false, "\(what): \(failure?.reason ?? "")")
        #expect(try target.names().filter { $0 != "setup.lock" } == [], "\(what)")
        #expect(try source.names() == before, "\(what)")
    }

    @Test(
        "a file of other tables or rows is refused",
        arguments: [
            "PRAGMA application_id = 0", "PRAGMA application_id = \(0x534B_4348)", "PRAGMA user_version = 0",
            "PRAGMA user_version = -1", "PRAGMA user_version = 1",
            "CREATE TABLE more (a)", "CREATE VIEW more AS SELECT * FROM keybag", "CREATE INDEX more ON items_keys (pk)",
            "CREATE TRIGGER more AFTER INSERT ON items_keys BEGIN DELETE FROM items_keys; END",
            "CREATE TABLE device (id INTEGER)", "ANALYZE", "DROP TABLE items_genp", "DROP TABLE keybag",
            "DROP INDEX items_keys_pk", "ALTER TABLE items_keys ADD COLUMN more",
            "ALTER TABLE items_keys ADD COLUMN more AS (abs(-9223372036854775808))",
            "ALTER TABLE items_keys DROP COLUMN t_labl",
            "DROP TABLE items_genp; CREATE VIEW items_genp AS SELECT * FROM items_keys",
            "DELETE FROM keybag", "UPDATE keybag SET bytes = 'text'",
            "UPDATE items_keys SET id = 0 WHERE id = 3", "UPDATE items_keys SET id = -3 WHERE id = 3",
            "UPDATE items_keys SET id = 9223372036854775807 WHERE id = 3",
            "UPDATE items_keys SET uuid = x'00' WHERE id = 3", "UPDATE items_keys SET damage = 1 WHERE id = 3",
            "UPDATE items_keys SET protection = x'00' WHERE id = 3", "UPDATE items_keys SET tombstone = 3 WHERE id = 3",
            "UPDATE items_keys SET generation = 4294967296 WHERE id = 3",
            "UPDATE items_keys SET version = zeroblob(17) WHERE id = 3", "UPDATE items_keys SET pk = 'x' WHERE id = 3",
            "UPDATE items_keys SET t_labl = x'' WHERE id = 3", "UPDATE items_keys SET metadata = 1.5 WHERE id = 3",
            "UPDATE items_keys SET secret = 'text' WHERE id = 3",
            "UPDATE items_keys SET secret = zeroblob(40000000) WHERE id = 3",
            "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = 'CREATE TABLE keybag (id, bytes)' WHERE name = 'keybag'",
            "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET rootpage = 3 WHERE name = 'keybag'",
            "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = sql || sql",
        ]
    )
    func otherTables(_ sql: String) throws {
        try source.raw("backup").execute(sql)
        try expectRefusal("backup", sql)
    }

    @Test(
        "a file that has keychain files, or says so, and others than those of the version is refused",
        arguments: [
            "PRAGMA user_version = \(0x0101_0301)",
            "CREATE TABLE keychain_files (id INTEGER PRIMARY KEY, sealed BLOB NOT NULL)",
            """
            PRAGMA user_version = \(0x0101_0301);
            CREATE TABLE keychain_files (id INTEGER PRIMARY KEY, sealed BLOB)
            """,
            """
            PRAGMA user_version = \(0x0101_0301);
            CREATE TABLE keychain_files (id INTEGER PRIMARY KEY, sealed BLOB NOT NULL);
            INSERT INTO keychain_files VALUES (1, 'text')
            """,
            """
            PRAGMA user_version = \(0x0101_0301);
            CREATE TABLE keychain_files (id INTEGER PRIMARY KEY, sealed BLOB NOT NULL);
            WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 257)
            INSERT INTO keychain_files SELECT i, x'00' FROM n
            """,
        ]
    )
    func otherFiles(_ sql: String) throws {
        try source.raw("backup").execute(sql)
        try expectRefusal("backup", sql)
    }

    @Test("a backup of a newer version is refused, and says so")
    func newer() throws {
        // The next revision is that of backups with keychain files.
        let newer = FileFormat.version + 2
        try source.raw("backup").execute("PRAGMA user_version = \(newer)")
        let failure = #expect(throws: KeychainError.self) { try restore() }
        #expect(failure?.kind == .storage(.newerBackup))
        #expect(failure?.facts["version"] == FileFormat.text(of: newer))
        #expect(try target.names() == [])
    }

    @Test("rows of one item twice, which only other indexes could hide, are refused")
    func twice() throws {
        let raw = try source.raw("backup")
        try raw.execute("CREATE TABLE copy AS SELECT sql FROM sqlite_schema WHERE name = 'items_keys_uuid'")
        try raw.execute("DROP INDEX items_keys_uuid")
        try raw.execute("UPDATE items_keys SET uuid = (SELECT uuid FROM items_keys WHERE id = 2) WHERE id = 4")
        try raw.execute("CREATE INDEX items_keys_uuid ON items_keys (uuid)")
        try raw.execute(
            """
            PRAGMA writable_schema = ON;
            UPDATE sqlite_schema SET sql = (SELECT sql FROM copy) WHERE name = 'items_keys_uuid';
            DROP TABLE copy
            """
        )
        try expectRefusal("backup", "twice")
    }

    @Test("what lies beside a backup is no part of it", arguments: ["-wal", "-journal", "-shm"])
    func companions(_ suffix: String) throws {
        try source.write(Data(repeating: 0xFF, count: 4_096), to: "backup\(suffix)")
        #expect(try restore() == 20)
        #expect(try source.contents(of: "backup\(suffix)") == Data(repeating: 0xFF, count: 4_096))
    }

    @Test("the log of a backup that somebody opened and changed is no part of it")
    func log() throws {
        let raw = try source.raw("backup")
        try raw.execute("PRAGMA journal_mode = WAL")
        try raw.execute("DELETE FROM items_keys WHERE id > 5")
        let before = try source.names()
        #expect(before.contains("backup-wal"))
        #expect(try restore() == 20)
        #expect(try source.names() == before)
    }

    @Test("what is no file is refused", arguments: ["nothing", "folder", "pipe", "link", "dangling", "text", "empty"])
    func notAFile(_ name: String) throws {
        try FileManager.default.createDirectory(atPath: source.path(of: "folder"), withIntermediateDirectories: false)
        try #require(mkfifo(source.path(of: "pipe"), 0o600) == 0)
        try FileManager.default.createSymbolicLink(atPath: source.path(of: "link"), withDestinationPath: "pipe")
        try FileManager.default.createSymbolicLink(atPath: source.path(of: "dangling"), withDestinationPath: "no")
        try source.write(Data("no database".utf8), to: "text")
        try source.write(Data(), to: "empty")
        if name == "link" {
            #expect(throws: KeychainError.self) { try restore(name) }
        } else {
            try expectRefusal(name, name)
        }
    }

    @Test("a store is no backup")
    func store() throws { try expectRefusal("keychain.db", "a store") }

    @Test("a backup that was cut short is refused, wherever it was cut")
    func truncated() throws {
        let whole = try source.contents(of: "backup")
        let pageSize = 4_096
        let cuts = stride(from: 0, to: whole.count, by: pageSize).flatMap { [$0, $0 + 1, $0 + 100, $0 + pageSize - 1] }
        for count in cuts where count < whole.count {
            try source.write(whole.prefix(count), to: "cut")
            try expectRefusal("cut", "\(count) of \(whole.count) bytes")
        }
    }

    @Test("a backup with any bytes altered is restored or refused", arguments: 0..<8)
    func altered(_ seed: UInt64) throws {
        let whole = try source.contents(of: "backup")
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<25 {
            var altered = whole
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                // Half of them where the file's structure lies.
                let page = Int.random(in: 0..<whole.count / 4_096, using: &generator) * 4_096
                let span = Bool.random(using: &generator) ? 120 : 4_096
                altered[page + Int.random(in: 0..<span, using: &generator)] = .random(in: 0...255, using: &generator)
            }
            try source.write(altered, to: "altered")
            let folder = try StoreFolder()
            do {
                _ = try Store.restoreCopy(
                    from: source.path(of: "altered"),
                    in: folder.directory,
                    options: StoreOptions()
                ) { (keybag) throws(KeychainError) in keybag }
                #expect(try folder.open().structuralDefects() == [])
            } catch is KeychainError {
                #expect(try folder.names().filter { $0 != "setup.lock" } == [])
            }
        }
    }
}
