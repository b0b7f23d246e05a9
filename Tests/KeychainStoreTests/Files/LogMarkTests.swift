// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import KeychainTestSupport
import Testing

@testable import KeychainStore

/// The mark of a file that its log may hold what it lacks: there before any change, whoever makes it, and gone, or that
/// of the log that is there, whatever a crash has left.
struct LogMarkTests {
    /// What changes a store.
    enum Writer: CaseIterable {
        case call, group, feature, statement, afterErasure, afterWritingBack
    }

    @Test(
        "whoever changes a store has its file marked first, with the log that the change comes into",
        arguments: Writer.allCases
    )
    func everyWriter(_ writer: Writer) throws {
        let folder = try StoreFolder()
        let path = folder.path(of: "keychain.db")
        do {
            let store = try folder.open()
            try store.add([.sample(.key, 1)])
            store.finish()
        }
        #expect(try FileHeader(path: path)?.mark == nil)
        let store = try folder.open()
        switch writer {
        case .call: try store.add([.sample(.key, 2)])
        case .group:
            store.beginGroup()
            try store.inGroup { () throws(KeychainError) in
                try store.write { (writer) throws(KeychainError) in _ = try writer.insert(.sample(.key, 2)) }
            }
            try store.endGroup()
        case .feature: try store.write { (writer) throws(KeychainError) in try writer.adopt(.groupIndex) }
        case .statement: try SQLiteConnection(path: path).execute("UPDATE keybag SET bytes = x'00'")
        case .afterErasure:
            try store.add([.sample(.key, 2)])
            #expect(try store.eraseLog())
            #expect(try FileHeader(path: path)?.mark == nil)
            try store.add([.sample(.key, 3)])
        case .afterWritingBack:
            try store.add([.sample(.key, 2)])
            store.checkpointLog()
            #expect(try FileHeader(path: path)?.mark == nil)
            try store.add([.sample(.key, 3)])
        }
        let mark = try #require(try FileHeader(path: path)?.mark)
        #expect(LogBeginning(path: folder.path(of: "keychain.db-wal"))?.salts == mark.salts)
        withExtendedLifetime(store) {}
    }

    @Test("no crash, and no crash after a crash, makes a store look as if its log was missing, or loses a change")
    func crashes() async {
        await #expect(processExitsWith: .success) {
            FaultyFileSystem.install()
            let folder = try StoreFolder()
            do {
                let store = try folder.open()
                try store.add([.sample(.key, 0)])
                store.finish()
            }
            let crashes = Crashes()
            try crashes.observe(folder, rowCount: 1, depth: 2) { add in
                for round in 0..<2 {
                    let store = try folder.open()
                    try add(store)
                    try add(store)
                    // The next change restarts the log.
                    store.checkpointLog()
                    try add(store)
                    #expect(try store.eraseLog())
                    try add(store)
                    if round == 0 { store.finish() }
                }
            }
            #expect(crashes.count > 100)
        }
    }

    /// Looks at what a crash would leave at each step: of each file what was synced, or all that was written.
    private final class Crashes {
        /// How many were looked at.
        private(set) var count = 0

        private struct Files: Hashable {
            var database: Data
            var log: Data

            init(_ folder: StoreFolder) {
                database = (try? folder.contents(of: "keychain.db")) ?? Data()
                log = (try? folder.contents(of: "keychain.db-wal")) ?? Data()
            }

            init(_ database: Data, _ log: Data) { (self.database, self.log) = (database, log) }
        }

        /// Runs `body`, which adds rows by the closure that it is given, and looks at each crash in the midst of it.
        func observe(
            _ folder: StoreFolder,
            rowCount: Int,
            depth: Int,
            _ body: ((Store) throws -> Void) throws -> Void
        ) throws {
            let outer = FaultyFileSystem.afterChange
            defer { FaultyFileSystem.afterChange = outer }
            var rowCount = rowCount
            var durable = Files(folder)
            var seen: Set<Files> = [durable]
            var crashes: [(files: Files, rowCount: Int)] = []
            FaultyFileSystem.afterChange = { change in
                let files = Files(folder)
                if change.isSync, change.isLog { durable.log = files.log }
                if change.isSync, !change.isLog { durable.database = files.database }
                for database in [durable.database, files.database] {
                    for log in [durable.log, files.log] where seen.insert(Files(database, log)).inserted {
                        crashes.append((Files(database, log), rowCount))
                    }
                }
            }
            try body { store in
                try store.add([.sample(.key, UInt8(rowCount))])
                rowCount += 1
            }
            FaultyFileSystem.afterChange = { _ in }
            for crash in crashes { try look(at: crash.files, rowCount: crash.rowCount, depth: depth - 1) }
        }

        private func look(at files: Files, rowCount: Int, depth: Int) throws {
            count += 1
            let folder = try StoreFolder()
            try folder.write(files.database, to: "keychain.db")
            try folder.write(files.log, to: "keychain.db-wal")
            let store = try folder.open()
            let found = try store.everyRow(.key).count
            #expect(found == rowCount || found == rowCount + 1)
            #expect(try store.structuralDefects().isEmpty)
            if depth > 0 {
                try observe(folder, rowCount: found, depth: depth) { add in
                    try add(store)
                    store.finish()
                }
            }
            withExtendedLifetime(store) {}
        }
    }
}
