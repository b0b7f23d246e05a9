// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainTestSupport
import Testing

@testable import KeychainStore

/// The lists of lookup attributes beside the rows, and the feature that they are (Documentation/Format.md, "Lookup
/// attributes").
struct LookupListTests {
    private static func tag(_ number: UInt8) -> SearchTag { Bytes16(Array(repeating: number, count: 16)) ?? .zero }

    /// A row that is listed with tags.
    private static func row(_ number: UInt8, _ tags: [UInt8], of itemClass: ItemClass = .genericPassword) -> StoredRow {
        var row = StoredRow.sample(itemClass, number)
        row.lookup = ListedLookup(wholeTag: tag(150 + number), pairTags: tags.map(tag), face: [number])
        return row
    }

    private static func rows(_ store: Store, _ number: UInt8) throws -> [NumberedRow] {
        try store.everyRow(.genericPassword).filter {
            $0.row.identifier == StoredRow.sample(.genericPassword, number).identifier
        }
    }

    private static func numbers(_ store: Store, _ tags: [UInt8]) throws -> [Int64] {
        try store.read { (reader) throws(KeychainError) in
            try reader.rowNumbers(listedWith: tags.map(tag), .genericPassword)
        }
    }

    private static func version(_ folder: StoreFolder) throws -> Int { try folder.raw().integer("PRAGMA user_version") }

    private static let listed = Int(StoreFeature.lookupAttributes.version.recorded)
    private static let base = Int(FileVersion.base.recorded)

    @Test("rows are found by each of their tags and by several, and the rarest is looked up first")
    func search() throws {
        let folder = try StoreFolder()
        let store = try folder.open()
        try store.write { (writer) throws(KeychainError) in
            for number in 1...100 as ClosedRange<UInt8> {
                let second: UInt8 = number.isMultiple(of: 50) ? 111 : 112
                _ = try writer.insert(Self.row(number, [110, second, number]))
            }
        }
        #expect(try Self.numbers(store, [110]) == Array(1...100))
        #expect(try Self.numbers(store, [111, 110]) == [50, 100])
        #expect(try Self.numbers(store, [110, 77]) == [77])
        #expect(try Self.numbers(store, [110, 99, 112]) == [99])
        #expect(try Self.numbers(store, [110, 99, 111]) == [])
        #expect(try Self.numbers(store, [110, 250]) == [])
        let whole = try store.read { (reader) throws(KeychainError) in
            try reader.rowNumbers(listedWithWhole: Self.tag(200), .genericPassword)
        }
        #expect(whole == [50])
        #expect(try folder.raw().run("PRAGMA integrity_check") == [Array("ok".utf8)])
    }

    @Test("the first listed row begins the feature, and the change that leaves none ends it, with its tables")
    func feature() throws {
        let folder = try StoreFolder()
        let store = try folder.open()
        let schema = try folder.raw().run("SELECT sql FROM sqlite_schema ORDER BY name")
        try store.add([.sample(.genericPassword, 1)])
        #expect(try Self.version(folder) == Self.base)
        try store.write { (writer) throws(KeychainError) in
            _ = try writer.insert(Self.row(2, [1]))
            _ = try writer.insert(Self.row(3, [1]))
        }
        #expect(try Self.version(folder) == Self.listed && store.isCurrent)
        let two = try #require(try Self.rows(store, 2).first)
        try store.write { (writer) throws(KeychainError) in try writer.delete(two) }
        #expect(try Self.version(folder) == Self.listed)
        #expect(try Self.numbers(store, [1]).count == 1)
        let three = try #require(try Self.rows(store, 3).first)
        // It is written again without lookup attributes.
        try store.write { (writer) throws(KeychainError) in
            _ = try writer.update(three, to: .sample(.genericPassword, 3))
        }
        #expect(try Self.version(folder) == Self.base && store.isCurrent)
        #expect(try folder.raw().run("SELECT sql FROM sqlite_schema ORDER BY name") == schema)
        #expect(try Self.numbers(store, [1]) == [])
        try store.write { (writer) throws(KeychainError) in _ = try writer.insert(Self.row(4, [9])) }
        #expect(try Self.numbers(store, [9]).count == 1)
        try store.write { (writer) throws(KeychainError) in try writer.deleteAllRows() }
        #expect(try Self.version(folder) == Self.base)
    }

    @Test("what fails lists nothing, alone and as one call of several")
    func undone() throws {
        let folder = try StoreFolder()
        let store = try folder.open()
        let failure = KeychainError(.io, "a later part fails")
        _ = try? store.write { (writer) throws(KeychainError) in
            _ = try writer.insert(Self.row(1, [1]))
            throw failure
        }
        #expect(try Self.numbers(store, [1]) == [] && Self.version(folder) == Self.base)
        store.beginGroup()
        _ = try? store.inGroup { () throws(KeychainError) in
            try store.write { (writer) throws(KeychainError) in _ = try writer.insert(.sample(.genericPassword, 2)) }
        }
        _ = try? store.inGroup { () throws(KeychainError) in
            try store.write { (writer) throws(KeychainError) in _ = try writer.insert(Self.row(3, [1])) }
            throw failure
        }
        _ = try? store.inGroup { () throws(KeychainError) in
            try store.write { (writer) throws(KeychainError) in _ = try writer.insert(.sample(.genericPassword, 4)) }
        }
        try store.endGroup()
        #expect(try Self.numbers(store, [1]) == [] && Self.version(folder) == Self.base && store.isCurrent)
        #expect(try store.everyRow(.genericPassword).count == 2)
    }

    @Test("what is listed of another version of a row is not what is listed of it")
    func stale() throws {
        let folder = try StoreFolder()
        let store = try folder.open()
        try store.write { (writer) throws(KeychainError) in _ = try writer.insert(Self.row(1, [1, 2])) }
        let row = try #require(try Self.rows(store, 1).first)
        func listed() throws -> ListedLookup? {
            try store.read { (reader) throws(KeychainError) in try reader.listed(row, withTags: true) }
        }
        #expect(try listed() == Self.row(1, [1, 2]).lookup)
        try folder.raw().execute("UPDATE lookup_genp SET version = randomblob(16)")
        #expect(try listed() == nil)
    }

    @Test("a store with listed rows is not brought back to an earlier revision, and says why")
    func downgrade() throws {
        let folder = try StoreFolder()
        let store = try folder.open()
        try store.write { (writer) throws(KeychainError) in _ = try writer.insert(Self.row(1, [1])) }
        let outcome = try store.write { (writer) throws(KeychainError) in try writer.retireFeatures(after: 1) }
        #expect(outcome.removed.isEmpty && outcome.obstacles.map(\.name) == ["lookup-attributes"])
        #expect(try Self.version(folder) == Self.listed)
    }

    @Test("rows of a class that has no lookup attributes are never listed")
    func otherClass() throws {
        let folder = try StoreFolder()
        let store = try folder.open()
        try store.write { (writer) throws(KeychainError) in _ = try writer.insert(Self.row(1, [1], of: .key)) }
        #expect(try Self.version(folder) == Self.base)
    }

    @Test("a store in memory has the lists, and is empty of them when it is used again")
    func memory() throws {
        let store = try Store(inMemoryWithKeybag: [1])
        try store.write { (writer) throws(KeychainError) in _ = try writer.insert(Self.row(1, [1])) }
        #expect(try Self.numbers(store, [1]) == [1])
        #expect(store.clear() && store.version == .base)
        #expect(try Self.numbers(store, [1]) == [])
    }
}
