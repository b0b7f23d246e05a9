// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainTestSupport
import Testing

@testable import KeychainStore

/// The access groups of rows, which every command of a program reads that has every group.
struct GroupTagTests {
    private static func tag(_ number: Int) -> Bytes16 {
        var random = SeededGenerator(seed: UInt64(bitPattern: Int64(number)))
        return Bytes16((0..<16).map { _ in UInt8.random(in: 0...255, using: &random) }) ?? .zero
    }

    private static func row(_ number: Int, in group: Int, isTombstone: Bool = false) -> StoredRow {
        var row = StoredRow.sample(.key, 0, isTombstone: isTombstone, metadata: Array(repeating: 1, count: 300))
        row.identifier = tag(number)
        row.primaryKeyTag = tag(number)
        row.tags = [AttributeTag(name: .accessGroup, tag: tag(-group))]
        return row
    }

    private static func groups(_ store: Store) throws -> Set<SearchTag> {
        let tags = try store.read { (reader) throws(KeychainError) in try reader.groupTags(.key) }
        #expect(Set(tags).count == tags.count)
        return Set(tags)
    }

    private static func tags(_ groups: Int...) -> Set<SearchTag> { Set(groups.map { tag(-$0) }) }

    @Test("the groups of live rows are read, and others once this program or another one has changed rows")
    func changes() throws {
        let folder = try StoreFolder()
        let store = try folder.open()
        #expect(try Self.groups(store) == [])
        try store.add([Self.row(1, in: 1), Self.row(2, in: 2), Self.row(3, in: 1)])
        try store.add([Self.row(4, in: 3, isTombstone: true), .sample(.key, 5)])
        #expect(try Self.groups(store) == Self.tags(1, 2))
        let other = try folder.open()
        try other.add([Self.row(6, in: 4)])
        #expect(try Self.groups(store) == Self.tags(1, 2, 4))
        try store.write { (writer) throws(KeychainError) in
            for row in try writer.rows(RowFilter(.key)) where row.row.identifier == Self.tag(2) {
                try writer.delete(row)
            }
        }
        #expect(try Self.groups(store) == Self.tags(1, 4))
        #expect(try Self.groups(other) == Self.tags(1, 4))
        try folder.raw().execute("UPDATE items_keys SET damage = 1 WHERE id = 6")
        #expect(try Self.groups(store) == Self.tags(1))
    }

    @Test("a transaction under way sees its own groups, and one that is undone leaves none behind")
    func transactions() throws {
        let store = try StoreFolder().open()
        try store.add([Self.row(1, in: 1)])
        #expect(try Self.groups(store) == Self.tags(1))
        #expect(throws: KeychainError.self) {
            try store.write { (writer) throws(KeychainError) in
                _ = try writer.insert(Self.row(2, in: 2))
                guard try Set(writer.groupTags(.key)) == Self.tags(1, 2) else { return }
                throw KeychainError(.duplicateItem, "it is undone")
            }
        }
        #expect(try Self.groups(store) == Self.tags(1))
    }

    @Test("the groups of many rows are read without reading the rows, also after each change")
    func pages() throws {
        let store = try StoreFolder().open()
        let count = 4 * Int(SQLiteConnection.rowsWithoutGroupIndex)
        try store.add((0..<count).map { Self.row($0, in: $0 % 3) })
        #expect(try Self.groups(store) == Self.tags(0, 1, 2))
        for number in 0..<3 {
            try store.add([Self.row(count + number, in: 0)])
            let before = store.connection.readPageCount
            #expect(try Self.groups(store) == Self.tags(0, 1, 2))
            #expect(store.connection.readPageCount - before < 100)
        }
        let before = store.connection.readPageCount
        for _ in 0..<100 { _ = try Self.groups(store) }
        #expect(store.connection.readPageCount - before < 200)
    }
}
