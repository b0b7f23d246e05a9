// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainCore
import KeychainTestSupport
import Testing

@testable import KeychainStore

/// The frames of a transaction are written to the log together, and read as if each had been written by itself.
struct LogWriteTests {
    @Test("a transaction of many pages is one write to the log, and one that is larger is few")
    func count() async {
        await #expect(processExitsWith: .success) {
            FaultyFileSystem.install()
            let folder = try StoreFolder()
            let store = try folder.open()
            try store.add([.sample(.key, 1)])
            FaultyFileSystem.logWriteCount = 0
            try store.add([.sample(.key, 2, secret: Array(repeating: 7, count: 1 << 15))])
            #expect(FaultyFileSystem.logWriteCount == 1)
            FaultyFileSystem.logWriteCount = 0
            try store.add([.sample(.key, 3, secret: Array(repeating: 7, count: 1 << 20))])
            #expect((8...12).contains(FaultyFileSystem.logWriteCount), "256 pages in \(FaultyFileSystem.logWriteCount)")
            #expect(try folder.open().everyRow(.key).count == 3)
        }
    }

    @Test("what is committed is what another connection reads, whatever was undone or left the cache", arguments: 0..<8)
    func othersReadIt(_ seed: UInt64) throws {
        let table = try Table(seed: seed, cacheKibibytes: seed < 4 ? 40 : 4_000)
        for _ in 0..<60 { try table.makeTransaction() }
        #expect(try table.reader.run("PRAGMA integrity_check") == [Array("ok".utf8)])
    }

    @Test(
        "a transaction that there is no room for leaves nothing, and the next one that fits is made",
        arguments: [false, true]
    )
    func noRoom(_ leavesCache: Bool) async {
        await #expect(processExitsWith: .success) { [leavesCache = leavesCache as Bool] in
            FaultyFileSystem.install()
            let table = try Table(seed: 1, cacheKibibytes: leavesCache ? 40 : 4_000)
            for _ in 0..<10 { try table.makeTransaction() }
            for pages in [0, 1, 2, 3, 10, 31, 32, 33, 64, 100] {
                try table.reader.checkpoint()
                FaultyFileSystem.room = (pages * 4_120 + 2_000, ENOSPC)
                try table.connection.execute("BEGIN IMMEDIATE")
                #expect(throws: SQLiteError.self) {
                    for number: Int64 in 0..<200 {
                        try table.set(number, Array(repeating: 9, count: 4_000))
                        // What has left the cache is read back from the log.
                        if number % 50 == 49 { try table.expectContents(throughout: table.connection) }
                    }
                    try table.connection.execute("COMMIT")
                }
                if table.connection.isInTransaction { try table.connection.execute("ROLLBACK") }
                table.undo()
                try table.expectCommitted()
                FaultyFileSystem.room = nil
                for _ in 0..<3 { try table.makeTransaction() }
            }
            #expect(try table.reader.run("PRAGMA integrity_check") == [Array("ok".utf8)])
        }
    }
}

/// A table that transactions of all kinds change, and what has to be in it.
private final class Table {
    let connection: Connection
    /// A connection of SQLite's own file system, as another process has it.
    let reader: RawStore

    private let folder: StoreFolder
    private var random: SeededGenerator
    private var contents: [Int64: [UInt8]] = [:]
    private var committed: [Int64: [UInt8]] = [:]

    init(seed: UInt64, cacheKibibytes: Int) throws {
        folder = try StoreFolder()
        _ = try folder.open()
        connection = try Connection(path: folder.path(of: "keychain.db"))
        reader = try folder.raw()
        random = SeededGenerator(seed: seed)
        try connection.execute("PRAGMA cache_size = -\(cacheKibibytes)")
        try connection.execute("CREATE TABLE test (number INTEGER PRIMARY KEY, bytes BLOB NOT NULL)")
    }

    /// Makes changes, some of which are undone, ends the transaction one way or the other, and compares.
    func makeTransaction() throws {
        try connection.execute("BEGIN IMMEDIATE")
        for _ in 0..<Int.random(in: 1...20, using: &random) {
            let before = contents
            try connection.execute("SAVEPOINT step")
            for _ in 0..<Int.random(in: 0...10, using: &random) { try change() }
            if Int.random(in: 0..<4, using: &random) == 0 {
                try connection.execute("ROLLBACK TO step")
                contents = before
            }
            try connection.execute("RELEASE step")
            try expectCommitted()
        }
        try expectContents(throughout: connection)
        if Int.random(in: 0..<5, using: &random) == 0 {
            try connection.execute("ROLLBACK")
            undo()
        } else {
            try connection.execute("COMMIT")
            committed = contents
        }
        try expectCommitted()
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
        let values = try reader.run("SELECT bytes FROM test ORDER BY number").compactMap(\.self)
        #expect(values == committed.sorted { $0.key < $1.key }.map(\.value))
    }

    func expectContents(throughout connection: Connection) throws {
        let statement = try connection.prepare("SELECT bytes FROM test ORDER BY number")
        defer { statement.reset() }
        var values: [[UInt8]] = []
        while try statement.step() { values.append(statement.bytes(0)) }
        #expect(values == contents.sorted { $0.key < $1.key }.map(\.value))
    }
}
