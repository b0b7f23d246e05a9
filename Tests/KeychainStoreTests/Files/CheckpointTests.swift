// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import KeychainHost
import KeychainTestSupport
import Synchronization
import Testing

@testable import KeychainStore

/// A checkpoint keeps writers out (sqlite.org/wal.html, "The WAL-Reset Bug").
struct CheckpointTests {
    private static let manyRows = (0..<40).map {
        StoredRow.sample(.key, $0, secret: Array(repeating: $0, count: 1 << 14))
    }

    @Test("while another connection writes, nothing of the log is written back")
    func noCheckpointBesideWriter() throws {
        let folder = try StoreFolder()
        let store = try folder.open()
        try store.add(Self.manyRows)
        let before = try folder.contents(of: "keychain.db")
        let writer = try folder.raw()
        try writer.execute("BEGIN IMMEDIATE")
        let isErased = try store.eraseLog()
        store.checkpointLog()
        #expect(!isErased)
        #expect(try folder.contents(of: "keychain.db") == before)
        try writer.execute("ROLLBACK")
        store.checkpointLog()
        #expect(try folder.contents(of: "keychain.db") != before)
        #expect(try store.eraseLog())
        #expect(try folder.contents(of: "keychain.db-wal").isEmpty)
        #expect(try store.everyRow(.key).count == 40)
    }

    @Test("no connection can begin to write while a checkpoint writes", arguments: ["automatic", "erase", "room"])
    func writersWait(_ occasion: String) async {
        await #expect(processExitsWith: .success) { [occasion = occasion as String] in
            FaultyFileSystem.install()
            let folder = try StoreFolder()
            let store = try folder.open()
            try store.add(Self.manyRows)
            let path = folder.path(of: "keychain.db")
            let answers = Collected<Int32>()
            FaultyFileSystem.beforeDatabaseWrite = {
                do {
                    let other = try RawStore(path: path, busyTimeoutMilliseconds: 0)
                    try other.execute("BEGIN IMMEDIATE")
                    answers.append(0)
                } catch {
                    answers.append((error as? RawStore.Failure)?.code ?? -1)
                }
            }
            switch occasion {
            case "automatic":
                for number in 0..<30 where answers.all.isEmpty {
                    try store.write { (writer) throws(KeychainError) in
                        for row in Self.manyRows {
                            var changed = row
                            changed.secret = Array(repeating: UInt8(number), count: 1 << 14)
                            var filter = RowFilter(.key)
                            filter.identifier = row.identifier
                            for found in try writer.rows(filter) { _ = try writer.update(found, to: changed) }
                        }
                    }
                }
            case "erase": #expect(try store.eraseLog())
            default: store.checkpointLog()
            }
            FaultyFileSystem.beforeDatabaseWrite = {}
            #expect(answers.all.count > 10)
            #expect(Set(answers.all) == [5], "SQLITE_BUSY each time")
            try folder.raw().execute("BEGIN IMMEDIATE")
        }
    }

    @Test("the log is restarted once it was written back, and does not grow for ever")
    func logStaysSmall() throws {
        let folder = try StoreFolder()
        let store = try folder.open()
        for _ in 0..<20 {
            try store.add(Self.manyRows)
            try store.write { (writer) throws(KeychainError) in try writer.deleteAllRows() }
        }
        #expect(try folder.contents(of: "keychain.db-wal").count < 3_000 * 4_120)
    }

    @Test("an SQLite that lacks what a store needs is refused, with what to do")
    func library() throws {
        for version: Int32 in [3_007_017, 3_034_001, 3_036_000] {
            let failure = #expect(throws: StoreError.self) { try SQLiteLibrary.check(version: version) }
            #expect(failure.map { "\($0)" }?.contains("needs 3.37.0; install") == true)
            #expect(failure.map { KeychainError($0).status } == .notAvailable)
        }
        for version: Int32 in [3_037_000, 3_040_001, 3_051_003, 4_000_000] { try SQLiteLibrary.check(version: version) }
        try SQLiteLibrary.check()
    }
}
