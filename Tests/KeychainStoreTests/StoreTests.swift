// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainCore
import KeychainHost
import KeychainTestSupport
import Testing

@testable import KeychainStore

/// The store alone: opaque rows, no keys.
struct StoreTests {
    private let folder: TemporaryFolder
    private let directory: PrivateDirectory

    init() throws {
        folder = try TemporaryFolder()
        directory = try PrivateDirectory(KeychainLocation(path: folder.path))
    }

    private func open(_ keybag: [UInt8] = [1, 2, 3], _ options: StoreOptions = StoreOptions()) throws -> Store {
        try Store.open(in: directory, options: options) { () throws(KeychainError) in keybag }
    }

    private var raw: RawStore {
        get throws { try RawStore(path: folder.path(of: "keychain.db")) }
    }

    @Test("a new store has its keybag, its mark, its version and mode 0600; an old one keeps its keybag")
    func creation() throws {
        #expect(try open().keybag() == [1, 2, 3])
        #expect(try open([9]).keybag() == [1, 2, 3])
        #expect(try raw.integer("PRAGMA application_id") == 0x534B_4348)
        #expect(try raw.integer("PRAGMA user_version") == Int(FileVersion.base.recorded))
        #expect(try open().structuralDefects() == [])
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
            let attributes = try FileManager.default.attributesOfItem(atPath: folder.path(of: name))
            #expect(attributes[.posixPermissions] as? Int == 0o600, "\(name)")
        }
    }

    @Test("each connection caches as many pages as it is told to, of a new store as of an old one")
    func cache() throws {
        var options = StoreOptions()
        options.cacheKibibytes = 512
        for _ in 0..<2 {
            let store = try open([1], options)
            #expect(try store.connection.integer("PRAGMA cache_size") == -512)
        }
        #expect(try open().connection.integer("PRAGMA cache_size") == -2000)
    }

    @Test("a store that a newer program takes over is not changed any more, however often it was before")
    func takenOver() throws {
        let store = try open()
        for _ in 0..<3 { try store.write { (_) throws(KeychainError) in } }
        try raw.execute("PRAGMA user_version = \(0x0202_0302)")
        let failure = #expect(throws: KeychainError.self) { try store.write { (_) throws(KeychainError) in } }
        #expect(failure?.status == .notAvailable)
        try raw.execute("PRAGMA user_version = \(FileVersion.base.recorded)")
        try store.write { (_) throws(KeychainError) in }
    }

    @Test("a store that cannot be made leaves nothing behind, and what a process left that died is removed")
    func leftovers() throws {
        let files = ["", "-wal", "-shm", "-journal"].map { "keychain.db.new\($0)" }
        func names() throws -> [String] {
            try FileManager.default.contentsOfDirectory(atPath: directory.path)
        }
        for name in files {
            try Data([1, 2]).write(to: URL(fileURLWithPath: directory.path(of: name)))
        }
        // Complete, it cannot take its name.
        let taken = directory.path(of: "keychain.db")
        #expect(throws: KeychainError.self) {
            try Store.open(in: directory, options: StoreOptions()) { () throws(KeychainError) in
                mkdir(taken, 0o700)
                return [1]
            }
        }
        #expect(try Set(names()) == ["keychain.db", "setup.lock"])
        rmdir(taken)
        _ = try open()
        #expect(try names().filter { $0.hasPrefix("keychain.db.new") } == [])
    }

    @Test("a store whose keybag cannot be made is not made")
    func noKeybag() throws {
        let refusal = KeychainError(.allocate, "no")
        let failure = #expect(throws: KeychainError.self) {
            try Store.open(in: directory, options: StoreOptions()) { () throws(KeychainError) in throw refusal }
        }
        #expect(failure?.status == .allocate)
        #expect(try Store.exists(in: directory) == false)
        #expect(try open().keybag() == [1, 2, 3])
    }

    @Test("a log that lies where a new store is made is set aside, not replayed")
    func orphanedLog() throws {
        _ = try open()
        let log = Data(repeating: 7, count: 100)
        for name in ["keychain.db", "keychain.db-shm"] {
            try? FileManager.default.removeItem(atPath: folder.path(of: name))
        }
        _ = FileManager.default.createFile(
            atPath: folder.path(of: "keychain.db-wal"),
            contents: log,
            attributes: [.posixPermissions: 0o600]
        )
        #expect(try open([4]).keybag() == [4])
        #expect(try Data(contentsOf: URL(fileURLWithPath: folder.path(of: "keychain.db-wal.orphan-1"))) == log)
    }

    @Test("a row comes back as it was, whatever its bytes")
    func rowsComeBack() throws {
        let store = try open()
        for (number, itemClass) in ItemClass.stored.enumerated() {
            let row = Self.row(itemClass, UInt8(number), metadata: Array(0...255), secret: [])
            try store.write { (writer) throws(KeychainError) in
                let isInserted = try writer.insert(row)
                let isInsertedTwice = try writer.insert(row)
                #expect(isInserted && !isInsertedTwice)
            }
            let rows = try store.read { (reader) throws(KeychainError) in try reader.rows(RowFilter(itemClass)) }
            #expect(rows.map(\.row) == [row])
        }
    }

    @Test("a change that throws leaves nothing behind")
    func rollBack() throws {
        let store = try open()
        #expect(throws: KeychainError.self) {
            try store.write { (writer) throws(KeychainError) in
                for number in 0..<10 { _ = try writer.insert(Self.row(.key, UInt8(number))) }
                throw KeychainError(.internalComponent, "stop")
            }
        }
        let rows = try store.read { (reader) throws(KeychainError) in try reader.rows(RowFilter(.key)) }
        #expect(rows.isEmpty)
    }

    @Test("a row that an index led to and that does not match is no answer")
    func wrongIndex() throws {
        let row = Self.row(.key, 1)
        do {
            let store = try open()
            try store.write { (writer) throws(KeychainError) in
                for number in 1...3 { _ = try writer.insert(Self.row(.key, UInt8(number))) }
            }
        }
        try raw.checkpoint()
        // An index record: three bytes of header, for a blob of 16 bytes and a number of one byte; row 1 needs none.
        var file = Data(try Data(contentsOf: URL(fileURLWithPath: folder.path(of: "keychain.db"))))
        let record = Data([3, 0x2C, 1] + Self.row(.key, 2).primaryKeyTag.bytes + [2])
        let entry = try #require(file.range(of: record))
        file[entry.upperBound - 1] = 3
        try file.write(to: URL(fileURLWithPath: folder.path(of: "keychain.db")))
        for name in ["keychain.db-wal", "keychain.db-shm"] {
            try? FileManager.default.removeItem(atPath: folder.path(of: name))
        }
        #expect(chmod(folder.path(of: "keychain.db"), 0o600) == 0)

        let store = try open()
        var filter = RowFilter(.key)
        filter.primaryKey = Self.row(.key, 2).primaryKeyTag
        // SQLite may take the primary key from the index and the rest from the row; such a mixture does not open.
        let found = try? store.read { (reader) throws(KeychainError) in try reader.rows(filter) }
        #expect(found?.allSatisfy { $0.row.primaryKeyTag == filter.primaryKey } ?? true)
        filter.primaryKey = row.primaryKeyTag
        let rows = try store.read { (reader) throws(KeychainError) in try reader.rows(filter) }
        #expect(rows.map(\.row) == [row])
        #expect(try !store.structuralDefects().isEmpty)
    }

    private static func row(
        _ itemClass: ItemClass,
        _ number: UInt8,
        metadata: [UInt8] = [1],
        secret: [UInt8] = [2]
    ) -> StoredRow {
        let bytes = Bytes16(Array(repeating: 0x40 + number, count: 16)) ?? .zero
        let identifier = Bytes16(Array(repeating: 0x60 + number, count: 16)) ?? .zero
        return StoredRow(
            itemClass: itemClass,
            identifier: identifier,
            protection: "ak",
            isTombstone: false,
            keyGeneration: 1,
            version: bytes,
            primaryKeyTag: bytes,
            tags: [AttributeTag(name: "labl", tag: bytes)],
            metadata: metadata,
            secret: secret
        )
    }
}
