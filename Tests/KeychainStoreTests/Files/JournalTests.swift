// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import KeychainHost
import KeychainTestSupport
import Testing

@testable import KeychainStore

/// A rollback journal beside a store, which has none: SQLite would write it into the store.
struct JournalTests {
    private let folder: StoreFolder
    private let victim: String
    private let before: Data

    /// A store with a row, and a file that a journal names.
    init() throws {
        folder = try StoreFolder()
        try folder.open().add([.sample(.key, 1)])
        try folder.raw().checkpoint()
        victim = folder.path(of: "victim")
        try folder.write(Data("keychain.db-journal".utf8), to: "victim")
        before = try folder.contents(of: "keychain.db")
        #expect(before.count > 4_096)
    }

    private func plant(_ name: String = "keychain.db-journal") throws -> Data {
        let journal = HotJournal(superJournal: victim).bytes
        try folder.write(journal, to: name)
        return journal
    }

    @Test("plain SQLite plays the journal back: the store is cut, and another file is gone")
    func plainSQLite() throws {
        for name in ["keychain.db-wal", "keychain.db-shm"] { folder.directory.remove(name) }
        try Self.leaveLogMode(folder)
        _ = try plant()
        _ = try? folder.raw().run("SELECT count(*) FROM sqlite_schema")
        #expect(try folder.contents(of: "keychain.db").count == 4_096)
        #expect(!FileManager.default.fileExists(atPath: victim))
    }

    @Test("a store with a journal beside it is refused, with what to do, and nothing is touched")
    func refused() throws {
        let journal = try plant()
        let failure = #expect(throws: KeychainError.self) { try folder.open() }
        #expect(failure?.status == .notAvailable)
        #expect(failure?.reason.contains("keychain.db-journal") == true && failure?.reason.contains("move") == true)
        #expect(try folder.contents(of: "keychain.db") == before)
        #expect(try folder.contents(of: "keychain.db-journal") == journal)
        #expect(FileManager.default.fileExists(atPath: victim))
        folder.directory.remove("keychain.db-journal")
        #expect(try folder.open().everyRow(.key).count == 1)
    }

    @Test("a journal that is put there after the look at the folder is not seen by SQLite")
    func race() throws {
        let journal = try plant()
        let connection = try SQLiteConnection(path: folder.path(of: "keychain.db"))
        #expect(try connection.integer("SELECT count(*) FROM items_keys") == 1)
        try connection.execute("DELETE FROM items_keys")
        #expect(try folder.contents(of: "keychain.db-journal") == journal)
        #expect(try folder.contents(of: "keychain.db").count == before.count)
        #expect(FileManager.default.fileExists(atPath: victim))
    }

    @Test("an open store goes on with a journal beside it")
    func openStore() throws {
        let store = try folder.open()
        let journal = try plant()
        try store.add([.sample(.key, 2)])
        #expect(try store.everyRow(.key).count == 2)
        #expect(try folder.contents(of: "keychain.db-journal") == journal)
        #expect(FileManager.default.fileExists(atPath: victim))
    }

    @Test("a connection of a store opens no journal either")
    func noJournal() throws {
        try Self.leaveLogMode(folder)
        let connection = try SQLiteConnection(path: folder.path(of: "keychain.db"))
        let failure = #expect(throws: SQLiteError.self) { try connection.execute("DELETE FROM items_keys") }
        #expect(failure?.primaryCode == 14)
    }

    @Test("a journal of a store that is not there is set aside when one is made")
    func orphaned() throws {
        let journal = try plant()
        for name in ["keychain.db", "keychain.db-wal", "keychain.db-shm"] { folder.directory.remove(name) }
        #expect(try folder.open(keybag: [4]).keybag() == [4])
        #expect(try folder.contents(of: "keychain.db-journal.orphan-1") == journal)
    }

    @Test("what lies where a new store would have its journal keeps nobody from making one")
    func creation() throws {
        let folder = try StoreFolder()
        try FileManager.default.createDirectory(
            atPath: folder.path(of: "keychain.db.new-journal/full"),
            withIntermediateDirectories: true
        )
        #expect(try folder.open(keybag: [4]).keybag() == [4])
    }

    @Test("a backup with a journal beside it is read as it lies")
    func backup() throws {
        let store = try folder.open()
        _ = try store.writeCopy(to: folder.directory, name: "backup", protections: ["ak"], destroyedGeneration: nil) {
            (_) throws(KeychainError) in [5]
        }
        let bytes = try folder.contents(of: "backup")
        let journal = try plant("backup-journal")
        #expect(try BackupReader(folder.path(of: "backup")).keybag() == [5])
        #expect(try folder.contents(of: "backup") == bytes)
        #expect(try folder.contents(of: "backup-journal") == journal)
        #expect(FileManager.default.fileExists(atPath: victim))
    }

    /// As an editor of the file can: the two version numbers of the header say that there is no log.
    private static func leaveLogMode(_ folder: StoreFolder) throws {
        var file = try folder.contents(of: "keychain.db")
        file[18] = 1
        file[19] = 1
        try folder.write(file, to: "keychain.db")
    }
}
