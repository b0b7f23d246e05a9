// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import KeychainEngine
import KeychainHost
import KeychainProtection
import KeychainTestSupport
import Testing

/// What a backup and its secret give to somebody who has them, and what comes of a backup that was altered
/// (ThreatModel.md).
struct BackupAttackTests {
    private static let secret = SecretBytes(Array("the secret of the backup".utf8))
    private static let floor = ScryptFloor(of: .minimum)

    private let store: TestStore
    private let keychain: EmbeddedKeychain
    private var backup: String { store.folder.path(of: "backup") }

    init() throws {
        store = try TestStore()
        keychain = store.open()
        for account in ["anna", "bert", "carl"] { #expect(keychain.add(account, "of \(account)") == .done) }
        _ = try keychain.createBackup(at: backup, secret: Self.secret)
    }

    /// Restores the backup into a folder of its own.
    private func restore(from file: String? = nil) throws -> TestStore {
        let target = try TestStore()
        _ = try EmbeddedKeychain.restoreBackup(
            from: file ?? backup,
            secret: Self.secret,
            to: KeychainLocation(path: target.path),
            floor: Self.floor
        )
        return target
    }

    private func expectRefusal(_ what: String) throws {
        let target = try TestStore()
        let failure = #expect(throws: KeychainError.self, "\(what)") {
            try EmbeddedKeychain.restoreBackup(
                from: backup,
                secret: Self.secret,
                to: KeychainLocation(path: target.path),
                floor: Self.floor
            )
        }
        #expect(failure?.status == .notAvailable, "\(what)")
        #expect(failure?.reason.contains("another") ?? false, "\(what): \(failure?.reason ?? "")")
        #expect(!FileManager.default.fileExists(atPath: target.file("keychain.db")), "\(what)")
        // Nor is anything of it put into a keychain that is there and empty.
        let empty = target.open()
        #expect(empty.everything() == .failed(.itemNotFound))
        #expect(throws: KeychainError.self) { try empty.restoreBackup(from: backup, secret: Self.secret) }
        #expect(empty.everything() == .failed(.itemNotFound))
        #expect(empty.add("later", "secret") == .done)
    }

    @Test("the backup holds what was put there, and restores it")
    func restores() throws {
        let target = try restore()
        let restored = target.open()
        for account in ["anna", "bert", "carl"] { #expect(restored.secret(account) == .secret("of \(account)")) }
        #expect(try restored.check().isSound)
    }

    @Test("a row that was written later and copied into an old backup is refused, with the backup as a whole")
    func laterRow() throws {
        #expect(keychain.add("later", "of later") == .done)
        #expect(keychain.update("anna", "changed") == .done)
        let columns = try Self.copyRows(from: store.file("keychain.db"), into: backup, where: "1")
        #expect(columns > 0)
        try expectRefusal("a row of the store")
    }

    @Test("an old backup, put together with newer rows of the store under the numbers of its own, is refused")
    func replacedRow() throws {
        #expect(keychain.update("anna", "changed") == .done)
        try RawStore(path: backup).execute("DELETE FROM items_genp WHERE id = 1")
        _ = try Self.copyRows(from: store.file("keychain.db"), into: backup, where: "id = 1")
        try expectRefusal("a newer version of a row")
    }

    @Test(
        "rows that are left out, added, moved or altered are noticed as a whole",
        arguments: [
            "DELETE FROM items_genp WHERE id = 2", "DELETE FROM items_genp WHERE id = 3", "DELETE FROM items_genp",
            "UPDATE items_genp SET id = 9 WHERE id = 1", "UPDATE items_genp SET id = 9 WHERE id = 3",
            "UPDATE items_genp SET tombstone = 1 WHERE id = 2", "UPDATE items_genp SET generation = 2 WHERE id = 2",
            "UPDATE items_genp SET protection = 'ck' WHERE id = 2",
            "UPDATE items_genp SET uuid = randomblob(16) WHERE id = 2",
            "UPDATE items_genp SET version = randomblob(16) WHERE id = 2",
            "UPDATE items_genp SET pk = randomblob(16) WHERE id = 2",
            "UPDATE items_genp SET t_acct = randomblob(16) WHERE id = 2",
            "UPDATE items_genp SET t_acct = NULL WHERE id = 2",
            "UPDATE items_genp SET metadata = randomblob(length(metadata)) WHERE id = 2",
            "UPDATE items_genp SET secret = randomblob(length(secret)) WHERE id = 2",
            "UPDATE items_genp SET secret = x'' WHERE id = 2",
            "UPDATE items_genp SET secret = (SELECT secret FROM items_genp WHERE id = 1) WHERE id = 2",
        ]
    )
    func otherRows(_ sql: String) throws {
        try RawStore(path: backup).execute(sql)
        try expectRefusal(sql)
    }

    @Test("a row, a keybag or both of another backup of the same keychain and secret are refused")
    func anotherBackup() throws {
        let other = store.folder.path(of: "other")
        #expect(keychain.update("anna", "changed") == .done)
        _ = try keychain.createBackup(at: other, secret: Self.secret)
        try RawStore(path: backup).execute("DELETE FROM items_genp WHERE id = 1")
        _ = try Self.copyRows(from: other, into: backup, where: "id = 1")
        try expectRefusal("a row of another backup")
        let keybag = try #require(try RawStore(path: other).run("SELECT bytes FROM keybag")[0])
        try RawStore(path: backup).run("UPDATE keybag SET bytes = ?", [keybag])
        try expectRefusal("the keybag of another backup")
    }

    @Test("what is stored after a restore has nothing to do with the backup, nor with the keychain that it was made of")
    func twins() throws {
        let twin = try restore()
        #expect(twin.open().add("later", "of the twin") == .done)
        #expect(try Self.identifier(of: twin) != Self.identifier(of: store))
        // Its rows in the original, under their own numbers and identifiers.
        _ = try Self.copyRows(from: twin.file("keychain.db"), into: store.file("keychain.db"), where: "id = 4")
        let rows = try store.raw().run("SELECT uuid FROM items_genp WHERE id = 4")
        #expect(rows.count == 1)
        #expect(store.open().secret("later") == .failed(.itemNotFound))
        #expect(try !store.open().check().isSound)
        // And in place of one that is there, under its tags.
        for name in ["metadata", "secret", "version"] {
            let value = try #require(try twin.raw().run("SELECT \(name) FROM items_genp WHERE id = 1")[0])
            try store.raw().run("UPDATE items_genp SET \(name) = ? WHERE id = 1", [value])
        }
        #expect(store.open().secret("anna") == .failed(.decode))
        #expect(store.open().secret("bert") == .secret("of bert"))
    }

    @Test("a persistent reference finds the restored item, and nothing else of a row stays")
    func persistentReferences() throws {
        let twin = try restore()
        for (column, stays) in [
            ("uuid", true), ("version", false), ("pk", false), ("metadata", false), ("t_acct", false),
        ] {
            let query = "SELECT \(column) FROM items_genp ORDER BY id"
            let (one, two) = try (store.raw().run(query), twin.raw().run(query))
            #expect((one == two) == stays, "\(column)")
        }
    }

    @Test("a wrong secret is errSecAuthFailed, and makes nothing")
    func wrongSecret() throws {
        let target = try TestStore()
        let failure = #expect(throws: KeychainError.self) {
            try EmbeddedKeychain.restoreBackup(
                from: backup,
                secret: SecretBytes(Array("another".utf8)),
                to: KeychainLocation(path: target.path),
                floor: Self.floor
            )
        }
        #expect(failure?.status == .authenticationFailed)
        #expect(!FileManager.default.fileExists(atPath: target.file("root.key")))
    }

    @Test("a large backup goes through, row by row")
    func large() throws {
        for number in 0..<300 { #expect(keychain.add("account \(number)", "of \(number)") == .done) }
        let secret = String(repeating: "x", count: 200_000)
        for number in 0..<10 { #expect(keychain.add("large \(number)", secret) == .done) }
        let path = store.folder.path(of: "large")
        let report = try keychain.createBackup(at: path, secret: Self.secret)
        #expect(report.items == 313)
        let target = try restore(from: path)
        let restored = target.open()
        #expect(try restored.check().intactRows == 313)
        #expect(restored.secret("account 299") == .secret("of 299"))
        let isRight = restored.secret("large 9") == .secret(secret)
        #expect(isRight)
    }

    /// Copies rows as they lie, columns and all, from one file into another.
    private static func copyRows(from: String, into: String, where condition: String) throws -> Int {
        let source = try RawStore(path: from)
        let columns = try source.run("SELECT name FROM pragma_table_info('items_genp')").compactMap(\.self)
            .map { String(decoding: $0, as: UTF8.self) }
        try RawStore(path: into).execute(
            """
            ATTACH DATABASE '\(from)' AS other;
            INSERT OR IGNORE INTO main.items_genp (\(columns.joined(separator: ", ")))
            SELECT \(columns.joined(separator: ", ")) FROM other.items_genp WHERE \(condition);
            DETACH DATABASE other
            """
        )
        return columns.count
    }

    private static func identifier(of store: TestStore) throws -> [UInt8] {
        Array(try #require(try store.raw().run("SELECT bytes FROM keybag")[0])[6..<22])
    }
}
