// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import Glibc
import KeychainCore
import KeychainTestSupport
import Testing

@testable import KeychainStore

/// A store gets a later revision with the first use of a feature, and goes back with the end of the last
/// (Documentation/Format.md, "Features").
struct StoreFeatureTests {
    /// The version of a store that uses the index of groups.
    private static let indexed = Int(StoreFeature.groupIndex.version.recorded)
    private static let base = Int(FileVersion.base.recorded)

    private static func adopt(_ store: Store) throws {
        try store.write { (writer) throws(KeychainError) in try writer.adopt(.groupIndex) }
    }

    private static func version(_ folder: StoreFolder) throws -> Int { try folder.raw().integer("PRAGMA user_version") }

    private static func schema(_ folder: StoreFolder) throws -> [[UInt8]?] {
        try folder.raw().run("SELECT sql FROM sqlite_schema ORDER BY name")
    }

    @Test("a feature has a row in the document of the format, and is of a revision that this program has")
    func documented() throws {
        let root = #filePath.components(separatedBy: "/Tests/")[0]
        let page = try String(contentsOfFile: "\(root)/Documentation/Format.md", encoding: .utf8)
        for feature in StoreFeature.all {
            let (version, name) = (feature.version, feature.name)
            let revision = version.version & 0xFF
            let row = "\n| `\(name)` | \(revision) | \(version.readerRevision) | \(version.writerRevision) |"
            #expect(page.contains(row), "\(name)")
            #expect((1...FileFormat.revision).contains(UInt8(revision)), "\(name)")
            #expect(version.readerRevision <= revision && version.writerRevision <= revision, "\(name)")
        }
    }

    @Test("a recovery key, which nothing but its own command ends, keeps a store from going back, and the index too")
    func obstacle() throws {
        let folder = try StoreFolder()
        let store = try folder.open()
        try Self.adopt(store)
        try store.write { (writer) throws(KeychainError) in try writer.adopt(.recoveryKey) }
        let outcome = try store.write { (writer) throws(KeychainError) in try writer.retireFeatures(after: 0) }
        #expect(outcome.removed.isEmpty)
        #expect(outcome.obstacles.map(\.name) == ["recovery-key"])
        let used = try store.read { (reader) throws(KeychainError) in try reader.usedFeatures() }
        #expect(Set(used.map(\.name)) == ["recovery-key", "group-index"])
    }

    @Test("opening and changing a store leaves its revision, the first use of a feature raises it, its end lowers it")
    func use() throws {
        let folder = try StoreFolder()
        let store = try folder.open()
        let (changes, former) = (Collected<StoreVersionChange>(), try Self.schema(folder))
        store.onVersionChange = { changes.append($0) }
        try store.add([.sample(.key, 1)])
        #expect(try Self.version(folder) == Self.base)
        try Self.adopt(store)
        #expect(try Self.version(folder) == Self.indexed)
        #expect(store.isCurrent && store.version == StoreFeature.groupIndex.version)
        try store.add([.sample(.key, 2)])
        try Self.adopt(store)
        let again = try folder.open()
        #expect(
            try again.read { (reader) throws(KeychainError) in try reader.usedFeatures() }.map(\.name) == [
                "group-index"
            ]
        )
        #expect(try again.everyRow(.key).count == 2)
        try store.write { (writer) throws(KeychainError) in try writer.retire(.groupIndex) }
        #expect(try Self.version(folder) == Self.base)
        #expect(try Self.schema(folder) == former)
        #expect(try folder.open().everyRow(.key).count == 2)
        #expect(changes.all.map(\.version.recorded) == [Int64(Self.indexed), Int64(Self.base)])
        #expect(!again.isCurrent || (try? again.everyRow(.key)) == nil)
    }

    @Test("a feature whose change fails is not used, and the store goes on")
    func undone() throws {
        let folder = try StoreFolder()
        let store = try folder.open()
        let changes = Collected<StoreVersionChange>()
        store.onVersionChange = { changes.append($0) }
        #expect(throws: KeychainError.self) {
            try store.write { (writer) throws(KeychainError) in
                try writer.adopt(.groupIndex)
                throw KeychainError(.io, "a later part of the change fails")
            }
        }
        #expect(try Self.version(folder) == Self.base)
        #expect(try store.add([.sample(.key, 1)]))
        #expect(store.isCurrent && changes.all.isEmpty)
        store.beginGroup()
        _ = try? store.inGroup { () throws(KeychainError) in
            try store.write { (writer) throws(KeychainError) in _ = try writer.insert(.sample(.key, 2)) }
        }
        _ = try? store.inGroup { () throws(KeychainError) in
            try store.write { (writer) throws(KeychainError) in try writer.adopt(.groupIndex) }
            throw KeychainError(.io, "this call fails")
        }
        try store.endGroup()
        #expect(try Self.version(folder) == Self.base)
        #expect(try store.everyRow(.key).count == 2 && store.isCurrent && changes.all.isEmpty)
    }

    @Test("what a process leaves that dies while it begins to use a feature is a store of the version before")
    func killed() async throws {
        let folder = try StoreFolder()
        _ = try folder.open()
        let path = folder.path(of: "keychain.db")
        await #expect(processExitsWith: .exitCode(7)) { [path = path as String] in
            let connection = try SQLiteConnection(path: path)
            // What is written does not stay in memory.
            try connection.execute("PRAGMA cache_size = 1")
            try connection.execute("BEGIN IMMEDIATE")
            _ = try connection.adopt(.groupIndex)
            _exit(7)
        }
        // Plain SQLite would remove the log, of which it knows that nothing in it counts.
        let store = try folder.open()
        #expect(store.version == .base)
        #expect(try store.keybag() == [1, 2, 3])
        try Self.adopt(store)
        #expect(try Self.version(folder) == Self.indexed)
    }

    @Test("of many that begin to use a feature at once, one does, and all go on")
    func manyStores() throws {
        let folder = try StoreFolder()
        let first = try folder.open()
        defer { withExtendedLifetime(first) {} }
        let (directory, failures, changes) = (folder.directory, Collected<String>(), Collected<StoreVersionChange>())
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            while true {
                do throws(KeychainError) {
                    let store = try Store.openPatiently(in: directory)
                    store.onVersionChange = { changes.append($0) }
                    return try store.write { (writer) throws(KeychainError) in try writer.adopt(.groupIndex) }
                } catch {
                    guard error.isBusy else { return failures.append("\(error)") }
                }
            }
        }
        #expect(failures.all == [])
        #expect(changes.all.count == 1)
        #expect(try folder.raw().integer("SELECT count(*) FROM features") == 1)
    }

    @Test(
        "features that no program recorded are damage, and nothing is acknowledged",
        arguments: [
            "DELETE FROM features", "DROP TABLE features", "UPDATE features SET revision = 2",
            "UPDATE features SET writers = 1", "UPDATE features SET name = 'another'",
            "UPDATE features SET name = 'UPPER'", "UPDATE features SET readers = x'00'",
            "INSERT INTO features VALUES ('another', 1, 0, 0)", "INSERT INTO features VALUES ('', 1, 0, 0)",
            "INSERT INTO features SELECT 'f' || value, 1, 0, 0 FROM generate_series(1, 300)",
            "DROP INDEX items_genp_agrp", "DROP INDEX items_genp_agrp; CREATE INDEX items_genp_agrp ON items_genp (pk)",
            "CREATE INDEX more ON items_keys (protection)",
            "CREATE TRIGGER t BEFORE INSERT ON features BEGIN SELECT 1; END",
            "PRAGMA user_version = \(0x0300)", "PRAGMA user_version = \(0x0001_0301)",
            "PRAGMA user_version = \(0x0101_0301)",
        ]
    )
    func hostile(_ sql: String) throws {
        let folder = try StoreFolder()
        try Self.adopt(try folder.open())
        do { try folder.raw().execute(sql) } catch {
            // Not every SQLite has series.
            guard sql.contains("generate_series") else { throw error }
            for number in 0..<300 { try folder.raw().execute("INSERT INTO features VALUES ('f\(number)', 1, 0, 0)") }
        }
        let failure = #expect(throws: KeychainError.self) { try folder.open().add([.sample(.key, 2)]) }
        #expect(failure?.status == .notAvailable && failure?.kind == .storage(.damaged), "\(failure as Any)")
    }

    @Test("a downgrade leaves out what costs nothing, and does nothing where a later program's feature is in use")
    func downgrade() throws {
        let folder = try StoreFolder()
        let store = try folder.open()
        try Self.adopt(store)
        let kept = try store.write { (writer) throws(KeychainError) in try writer.retireFeatures(after: 1) }
        #expect(kept.removed.isEmpty && kept.obstacles.isEmpty)
        // Another program's, which this one may change.
        try folder.raw().execute(
            "INSERT INTO features VALUES ('later', 9, 0, 1); PRAGMA user_version = \(0x0001_0309)"
        )
        let later = try folder.open()
        let refused = try later.write { (writer) throws(KeychainError) in try writer.retireFeatures(after: 0) }
        #expect(refused.removed.isEmpty && refused.obstacles.map(\.name) == ["later"])
        #expect(refused.obstacles.map(\.removal) == [.unknown])
        #expect(try Self.version(folder) == 0x0001_0309)
        // The later one stays, with what it needs.
        try later.write { (writer) throws(KeychainError) in try writer.retire(.groupIndex) }
        #expect(try Self.version(folder) == 0x0001_0309)
        #expect(try folder.raw().integer("SELECT count(*) FROM features") == 1)
        try folder.raw().execute("DROP TABLE features; PRAGMA user_version = \(0x0300)")
        try Self.adopt(try folder.open())
        let last = try folder.open()
        let done = try last.write { (writer) throws(KeychainError) in try writer.retireFeatures(after: 0) }
        #expect(done.removed.map(\.name) == ["group-index"])
        #expect(try Self.version(folder) == Self.base)
    }

    @Test("a class with many rows gets an index of groups, which a search by nothing but groups uses")
    func groupIndex() throws {
        let folder = try StoreFolder()
        let store = try folder.open()
        let group = try #require(Bytes16(Array(repeating: 7, count: 16)))
        let count = Int(SQLiteConnection.rowsWithoutGroupIndex)
        try store.write { (writer) throws(KeychainError) in
            for number in 1..<count { _ = try writer.insert(.inGroup(number, group)) }
        }
        #expect(try Self.version(folder) == Self.base)
        try store.write { (writer) throws(KeychainError) in _ = try writer.insert(.inGroup(count, group)) }
        #expect(try Self.version(folder) == Self.indexed)
        var byGroup = RowFilter(.key)
        byGroup.accessGroups = [group]
        var narrow = byGroup
        narrow.tags = [AttributeTag(name: "labl", tag: group)]
        #expect(try Self.plan(byGroup, folder).contains("items_keys_agrp"))
        #expect(try !Self.plan(narrow, folder).contains("items_keys_agrp"))
        let (first, second) = (byGroup, narrow)
        try store.read { (reader) throws(KeychainError) in
            #expect(try reader.rows(first).count == count)
            #expect(try reader.rows(second).isEmpty)
        }
    }

    @Test("a store in memory gets no index of groups, and a restored or migrated one none before it is used")
    func elsewhere() throws {
        let store = try Store(inMemoryWithKeybag: [1])
        let group = try #require(Bytes16(Array(repeating: 7, count: 16)))
        try store.write { (writer) throws(KeychainError) in
            for number in 1...Int(SQLiteConnection.rowsWithoutGroupIndex) {
                _ = try writer.insert(.inGroup(number, group))
            }
        }
        #expect(store.version == .base)
    }

    /// How SQLite would search.
    private static func plan(_ filter: RowFilter, _ folder: StoreFolder) throws -> String {
        let sql = "EXPLAIN QUERY PLAN SELECT * FROM items_keys WHERE \(filter.condition) ORDER BY id"
        let rows = try folder.raw().run(sql)
        return rows.compactMap { $0.map { String(decoding: $0, as: UTF8.self) } }.joined(separator: " ")
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
            #expect(header?.version == FileVersion.base.recorded)
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
}

extension StoredRow {
    /// A key of a group, one of many.
    fileprivate static func inGroup(_ number: Int, _ group: Bytes16) -> StoredRow {
        let bytes = (0..<16).map { UInt8(truncatingIfNeeded: number >> (8 * ($0 % 4))) }
        let value = Bytes16(bytes) ?? .zero
        return StoredRow(
            itemClass: .key,
            identifier: value,
            protection: "ak",
            isTombstone: false,
            keyGeneration: 1,
            version: value,
            primaryKeyTag: value,
            tags: [AttributeTag(name: "agrp", tag: group), AttributeTag(name: "labl", tag: value)],
            metadata: [1],
            secret: [2]
        )
    }
}
