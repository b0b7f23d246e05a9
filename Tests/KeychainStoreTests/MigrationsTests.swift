// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import Glibc
import KeychainCore
import KeychainHost
import KeychainTestSupport
import Testing

@testable import KeychainStore

/// Revisions of the tables within the format: none came after the first yet, so the steps are those of tests.
struct MigrationsTests {
    private static let steps: [Int64: [String]] = [
        0x0300: ["ALTER TABLE keybag ADD COLUMN first TEXT"],
        0x0301: ["ALTER TABLE keybag ADD COLUMN second TEXT", "UPDATE keybag SET second = 'migrated'"],
    ]
    private static let migrations = Migrations(target: 0x0302, steps: steps)

    @Test("an older store is brought up to date step by step")
    func migratesStepByStep() throws {
        let connection = try makeConnection(version: 0x0300)
        #expect(try Self.migrations.run(on: connection) == 0x0302)
        #expect(try connection.integer("SELECT count(*) FROM keybag WHERE second = 'migrated'") == 1)
        #expect(try connection.integer("PRAGMA user_version") == 0x0302)
    }

    @Test("a store that is up to date or newer is left alone", arguments: [0x0302, 0x0303, 0x0400] as [Int64])
    func leavesNewerAlone(_ version: Int64) throws {
        let connection = try makeConnection(version: version)
        #expect(try Self.migrations.run(on: connection) == version)
        #expect(try connection.integer("SELECT count(*) FROM pragma_table_info('keybag')") == 2)
    }

    @Test("a step that fails leaves the store as it was")
    func undoesAFailedStep() throws {
        let connection = try makeConnection(version: 0x0300)
        var steps = Self.steps
        steps[0x0301] = ["UPDATE keybag SET nosuchcolumn = 1"]
        let migrations = Migrations(target: 0x0302, steps: steps)
        #expect(throws: SQLiteError.self) { try migrations.run(on: connection) }
        #expect(try connection.integer("PRAGMA user_version") == 0x0300)
        #expect(try connection.integer("SELECT count(*) FROM pragma_table_info('keybag')") == 2)
    }

    @Test("a version that nothing leads on from is an error, not a guess", arguments: [0, -1, 2, 0x0100] as [Int64])
    func refusesUnknownVersions(_ version: Int64) throws {
        let connection = try makeConnection(version: version)
        #expect(throws: SQLiteError.self) { try Self.migrations.run(on: connection) }
    }

    @Test("what a process leaves that dies in the midst of a migration is a store of the version before")
    func killed() async throws {
        let folder = try StoreFolder()
        _ = try folder.open()
        let path = folder.path(of: "keychain.db")
        await #expect(processExitsWith: .exitCode(7)) { [path = path as String] in
            let connection = try SQLiteConnection(path: path)
            try connection.execute("PRAGMA cache_size = 1")
            try connection.execute("BEGIN IMMEDIATE")
            for statement in MigrationsTests.steps[0x0300] ?? [] { try connection.execute(statement) }
            try connection.execute("PRAGMA user_version = \(0x0301)")
            _exit(7)
        }
        #expect(try folder.raw().integer("PRAGMA user_version") == Int(FileVersion.current.recorded))
        #expect(try folder.open().keybag() == [1, 2, 3])
        let connection = try SQLiteConnection(path: path)
        #expect(try Self.migrations.run(on: connection) == 0x0302)
    }

    @Test("of many connections that migrate a store at once, one does and all go on")
    func manyConnections() throws {
        let folder = try StoreFolder()
        // While it is open, nobody finds another in the midst of making the log's index, for which they would not wait.
        let store = try folder.open()
        defer { withExtendedLifetime(store) {} }
        let (path, failures) = (folder.path(of: "keychain.db"), Collected<String>())
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            do {
                let connection = try SQLiteConnection(path: path)
                connection.setBusyTimeout(milliseconds: 60_000)
                let version = try Self.migrations.run(on: connection)
                if version != 0x0302 { failures.append("\(version)") }
            } catch {
                failures.append("\(error)")
            }
        }
        #expect(failures.all == [])
        #expect(try folder.raw().integer("SELECT count(*) FROM keybag WHERE second = 'migrated'") == 1)
    }

    @Test("the header is read without a look at the log, and no lock of the process is lost by it")
    func header() throws {
        let folder = try StoreFolder()
        let store = try folder.open()
        let path = folder.path(of: "keychain.db")
        try store.add([.sample(.key, 1)])
        try store.read { (_) throws(KeychainError) in
            let before = (try? folder.names()) ?? []
            let header = try? FileHeader(path: path)
            #expect(header?.version == FileVersion.current.recorded)
            #expect(header?.applicationIdentifier == Layout.applicationIdentifier)
            #expect((try? folder.names()) == before)
        }
        let locks = try RecordLock.held(by: getpid(), on: path)
        #expect(!locks.isEmpty)
        #expect(try FileHeader(path: path) != nil)
        #expect(try RecordLock.held(by: getpid(), on: path) == locks)
        try folder.write(.init("text".utf8), to: "text")
        #expect(try FileHeader(path: folder.path(of: "text")) == nil)
        #expect(throws: SQLiteError.self) { try FileHeader(path: folder.path(of: "nothing")) }
        withExtendedLifetime(store) {}
    }

    private func makeConnection(version: Int64) throws -> SQLiteConnection {
        let connection = try SQLiteConnection(path: nil)
        try connection.execute("CREATE TABLE keybag (id INTEGER PRIMARY KEY, bytes BLOB)")
        try connection.execute("INSERT INTO keybag VALUES (1, x'00')")
        try connection.execute("PRAGMA user_version = \(version)")
        return connection
    }
}
