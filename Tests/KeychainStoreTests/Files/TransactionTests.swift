// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainCore
import KeychainTestSupport
import Testing

@testable import KeychainStore

/// Transactions through the store's file system, as another connection and a restart see them.
struct TransactionTests {
    @Test(
        "what is committed is what another connection reads, and a restart finds, whatever was undone or left the cache",
        arguments: [512, 4_096, 65_536],
        0..<4
    )
    func othersReadIt(_ pageSize: Int, _ seed: UInt64) throws {
        let table = try Table(seed: seed, pageSize: pageSize, cachedPages: seed < 2 ? 10 : 1_000)
        for _ in 0..<40 { try table.makeTransaction() }
        #expect(try table.reader.run("PRAGMA integrity_check") == [Array("ok".utf8)])
    }

    @Test(
        "a transaction that there is no room for leaves nothing, and the next one that fits is made",
        arguments: [false, true]
    )
    func noRoom(_ leavesCache: Bool) async {
        await #expect(processExitsWith: .success) { [leavesCache = leavesCache as Bool] in
            FaultyFileSystem.install()
            let table = try Table(seed: 1, cachedPages: leavesCache ? 10 : 1_000)
            for _ in 0..<10 { try table.makeTransaction() }
            for pages in [0, 1, 2, 3, 10, 31, 32, 33, 64, 100] {
                try table.reader.checkpoint()
                FaultyFileSystem.room = (pages * 4_120 + 2_000, ENOSPC)
                try table.connection.execute("BEGIN IMMEDIATE")
                #expect(throws: SQLiteError.self) {
                    for number: Int64 in 0..<200 {
                        try table.set(number, Array(repeating: 9, count: 4_000))
                        // What has left the cache is read back from the log.
                        if number % 50 == 49 { try table.expectContents() }
                    }
                    try table.connection.execute("COMMIT")
                }
                if table.connection.isInTransaction { try table.connection.execute("ROLLBACK") }
                table.undo()
                try table.expectCommitted()
                FaultyFileSystem.room = nil
                try table.expectRestart()
                for _ in 0..<3 { try table.makeTransaction() }
            }
            #expect(try table.reader.run("PRAGMA integrity_check") == [Array("ok".utf8)])
        }
    }

    @Test("a commit that there was no room for does not come true when there is room a moment later")
    func passingWantOfRoom() async {
        await #expect(processExitsWith: .success) {
            FaultyFileSystem.install()
            let table = try Table(seed: 2, cachedPages: 1_000)
            for _ in 0..<10 { try table.makeTransaction() }
            try table.connection.execute("BEGIN IMMEDIATE")
            // The database grows, so that its first page changes, which is read to undo that.
            for number: Int64 in 1_000..<1_020 { try table.set(number, Array(repeating: 9, count: 3_000)) }
            FaultyFileSystem.writesWithoutRoom = 1
            #expect(throws: SQLiteError.self) { try table.connection.execute("COMMIT") }
            #expect(FaultyFileSystem.writesWithoutRoom == 0)
            if table.connection.isInTransaction { try table.connection.execute("ROLLBACK") }
            table.undo()
            try table.expectCommitted()
            try table.expectRestart()
        }
    }
}

/// A table that transactions of all kinds change, and what has to be in it.
private final class Table {
    let connection: SQLiteConnection
    /// A connection of SQLite's own file system, as another process has it.
    let reader: RawStore

    private static let name = "test.db"

    private let folder: TemporaryFolder
    private var random: SeededGenerator
    private var contents: [Int64: [UInt8]] = [:]
    private var committed: [Int64: [UInt8]] = [:]

    init(seed: UInt64, pageSize: Int = 4_096, cachedPages: Int) throws {
        folder = try TemporaryFolder()
        let path = folder.path(of: Self.name)
        try Data().write(to: URL(fileURLWithPath: path))
        random = SeededGenerator(seed: seed)
        reader = try RawStore(path: path)
        // By SQLite's own file system, because that of a store has no journal.
        try reader.execute("PRAGMA page_size = \(pageSize)")
        try reader.execute("PRAGMA journal_mode = WAL")
        try reader.execute("CREATE TABLE test (number INTEGER PRIMARY KEY, bytes BLOB NOT NULL)")
        connection = try SQLiteConnection(path: path)
        try connection.execute("PRAGMA cache_size = \(cachedPages)")
        #expect(try reader.integer("PRAGMA page_size") == pageSize)
    }

    /// Makes changes, some of which are undone, ends the transaction one way or the other, and compares.
    func makeTransaction() throws {
        try connection.execute("BEGIN IMMEDIATE")
        var mustUndo = false
        for _ in 0..<Int.random(in: 1...20, using: &random) {
            let (before, spills) = (contents, connection.spillCount)
            try connection.execute("SAVEPOINT step")
            for _ in 0..<Int.random(in: 0...10, using: &random) { try change() }
            if Int.random(in: 0..<4, using: &random) == 0 {
                try connection.execute("ROLLBACK TO step")
                contents = before
                // As a store does, because SQLite commits what is left with wrong checksums.
                if connection.spillCount != spills { mustUndo = true }
            }
            try connection.execute("RELEASE step")
            try expectCommitted()
        }
        try expectContents()
        if Int.random(in: 0..<5, using: &random) == 0 || mustUndo {
            try connection.execute("ROLLBACK")
            undo()
        } else {
            try connection.execute("COMMIT")
            committed = contents
        }
        try expectCommitted()
        try expectRestart()
        if Int.random(in: 0..<8, using: &random) == 0 { try reader.execute("PRAGMA wal_checkpoint(PASSIVE)") }
    }

    private func change() throws {
        let number = Int64.random(in: 0..<200, using: &random)
        if Int.random(in: 0..<3, using: &random) == 0 {
            try connection.execute("DELETE FROM test WHERE number = \(number)")
            contents[number] = nil
        } else {
            let count = Int.random(in: 0...(Bool.random(using: &random) ? 200 : 9_000), using: &random)
            try set(number, Array(repeating: UInt8.random(in: 0...255, using: &random), count: count))
        }
    }

    func set(_ number: Int64, _ bytes: [UInt8]) throws {
        let statement = try connection.prepare("INSERT OR REPLACE INTO test VALUES (\(number), ?)")
        try statement.bind(bytes, at: 0)
        _ = try statement.step()
        statement.reset()
        contents[number] = bytes
    }

    /// Forgets what the transaction has changed.
    func undo() { contents = committed }

    func expectCommitted() throws {
        #expect(try Self.values(from: reader) == Self.values(committed))
    }

    /// Expects the same of the files without the index of the log, which a restart creates again.
    func expectRestart() throws {
        let copy = try TemporaryFolder()
        for name in [Self.name, "\(Self.name)-wal"] {
            try FileManager.default.copyItem(atPath: folder.path(of: name), toPath: copy.path(of: name))
        }
        let restarted = try RawStore(path: copy.path(of: Self.name))
        #expect(try Self.values(from: restarted) == Self.values(committed), "after a restart")
    }

    /// Expects what the transaction under way has made of it.
    func expectContents() throws {
        let statement = try connection.prepare(Self.query)
        defer { statement.reset() }
        var values: [[UInt8]] = []
        while try statement.step() { values.append(statement.bytes(0)) }
        #expect(values == Self.values(contents))
    }

    private static let query = "SELECT bytes FROM test ORDER BY number"

    private static func values(from store: RawStore) throws -> [[UInt8]] { try store.run(query).compactMap(\.self) }

    private static func values(_ rows: [Int64: [UInt8]]) -> [[UInt8]] {
        rows.sorted { $0.key < $1.key }.map(\.value)
    }
}
