// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import KeychainStore

struct MigrationsTests {
    private static let steps: [Int64: [String]] = [
        1: ["ALTER TABLE keybag ADD COLUMN first TEXT"],
        2: ["ALTER TABLE keybag ADD COLUMN second TEXT", "UPDATE keybag SET second = 'migrated'"],
    ]

    @Test("an older store is brought up to date step by step")
    func migratesStepByStep() throws {
        let connection = try makeConnection(version: 1)
        #expect(try Migrations(target: 3, steps: Self.steps).run(on: connection) == 3)
        #expect(try connection.integer("SELECT count(*) FROM keybag WHERE second = 'migrated'") == 1)
        #expect(try connection.integer("PRAGMA user_version") == 3)
    }

    @Test("a store that is up to date or newer is left alone", arguments: [3, 4] as [Int64])
    func leavesNewerAlone(_ version: Int64) throws {
        let connection = try makeConnection(version: version)
        #expect(try Migrations(target: 3, steps: Self.steps).run(on: connection) == version)
        #expect(try connection.integer("SELECT count(*) FROM pragma_table_info('keybag')") == 2)
    }

    @Test("a step that fails leaves the store as it was")
    func undoesAFailedStep() throws {
        let connection = try makeConnection(version: 1)
        var steps = Self.steps
        steps[2] = ["UPDATE keybag SET nosuchcolumn = 1"]
        let migrations = Migrations(target: 3, steps: steps)
        #expect(throws: SQLiteError.self) { try migrations.run(on: connection) }
        #expect(try connection.integer("PRAGMA user_version") == 1)
        #expect(try connection.integer("SELECT count(*) FROM pragma_table_info('keybag')") == 2)
    }

    @Test("a version that nothing leads on from is an error, not a guess", arguments: [0, -1] as [Int64])
    func refusesUnknownVersions(_ version: Int64) throws {
        let connection = try makeConnection(version: version)
        let migrations = Migrations(target: 3, steps: Self.steps)
        #expect(throws: SQLiteError.self) { try migrations.run(on: connection) }
    }

    private func makeConnection(version: Int64) throws -> Connection {
        let connection = try Connection(path: nil)
        try connection.execute("CREATE TABLE keybag (id INTEGER PRIMARY KEY, bytes BLOB)")
        try connection.execute("INSERT INTO keybag VALUES (1, x'00')")
        try connection.execute("PRAGMA user_version = \(version)")
        return connection
    }
}
