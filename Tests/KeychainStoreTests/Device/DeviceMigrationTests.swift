// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import KeychainFiles
import KeychainTestSupport
import Testing

@testable import KeychainStore

/// From layout version 1, which had no device, to 2; from the store that version 1 was released with.
struct DeviceMigrationTests {
    private let folder: StoreFolder

    init() throws {
        folder = try StoreFolder()
        let released = URL(fileURLWithPath: #filePath)
            .appendingPathComponent("../../../KeychainEngineTests/Released/format-1/keychain.db").standardized
        try folder.write(Data(contentsOf: released), to: "keychain.db")
    }

    @Test("a store of version 1 gets the record of a new device and keeps everything else")
    func migrates() throws {
        let keybag = try #require(try folder.raw().run("SELECT bytes FROM keybag").first ?? nil)
        let count = try folder.raw().integer("SELECT count(*) FROM items_genp")
        let store = try folder.open(keybag: [9])
        #expect(try store.deviceRecord() == DeviceRecord())
        #expect(try store.keybag() == keybag)
        #expect(try store.everyRow(.genericPassword).count == count)
        #expect(count > 0)
        #expect(try folder.raw().integer("PRAGMA user_version") == 2)
        #expect(try folder.open().structuralDefects() == [])
    }

    @Test("a migrated store has the tables of a new one")
    func hasTheSameTables() throws {
        _ = try folder.open()
        let new = try StoreFolder()
        _ = try new.open()
        let tables = "SELECT sql FROM sqlite_schema ORDER BY name"
        let (migrated, made) = try (folder.raw().run(tables), new.raw().run(tables))
        #expect(
            migrated.map { String(decoding: $0 ?? [], as: UTF8.self) }
                == made.map { String(decoding: $0 ?? [], as: UTF8.self) }
        )
    }

    @Test("a migration that stops half way leaves version 1, and the next one succeeds")
    func interrupted() throws {
        let failing = Migrations(
            target: 2,
            steps: [1: (Migrations.current.steps[1] ?? []) + ["INSERT INTO nosuchtable VALUES (1)"]]
        )
        do {
            let connection = try Connection(path: folder.path(of: "keychain.db"))
            #expect(throws: SQLiteError.self) { try failing.run(on: connection) }
        }
        #expect(try folder.raw().integer("PRAGMA user_version") == 1)
        #expect(try folder.raw().integer("SELECT count(*) FROM sqlite_schema WHERE name = 'device'") == 0)
        #expect(try folder.open().deviceRecord() == DeviceRecord())
    }

    @Test("what a process leaves that dies in the midst of a migration is a store of version 1")
    func killed() async throws {
        let path = folder.path(of: "keychain.db")
        await #expect(processExitsWith: .exitCode(7)) { [path = path as String] in
            let connection = try Connection(path: path)
            try connection.execute("PRAGMA cache_size = 1")
            try connection.execute("BEGIN IMMEDIATE")
            for statement in Migrations.current.steps[1] ?? [] { try connection.execute(statement) }
            try connection.execute("PRAGMA user_version = 2")
            _exit(7)
        }
        #expect(try folder.raw().integer("PRAGMA user_version") == 1)
        #expect(try folder.open().deviceRecord() == DeviceRecord())
    }

    @Test("of many connections that open a store of version 1 at once, one migrates and all go on")
    func manyConnections() throws {
        let directory = folder.directory
        let failures = Collected<String>()
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            do {
                let store = try Store.openPatiently(in: directory)
                let record = try store.deviceRecord()
                if record != DeviceRecord() { failures.append("\(record)") }
            } catch {
                failures.append("\(error)")
            }
        }
        #expect(failures.all == [])
        #expect(try folder.raw().integer("SELECT count(*) FROM device") == 1)
    }

    @Test("of two processes that open a store of version 1 at once, one migrates and both go on")
    func twoProcesses() async throws {
        async let first: Void = Self.openInChild(folder.folder.path)
        async let second: Void = Self.openInChild(folder.folder.path)
        _ = await (first, second)
        #expect(try folder.raw().integer("SELECT count(*) FROM device") == 1)
        #expect(try folder.raw().integer("PRAGMA user_version") == 2)
    }

    private static func openInChild(_ path: String) async {
        await #expect(processExitsWith: .success) { [path = path as String] in
            let directory = try PrivateDirectory(KeychainLocation(path: path))
            let store = try Store.openPatiently(in: directory)
            #expect(try store.deviceRecord() == DeviceRecord())
        }
    }
}
