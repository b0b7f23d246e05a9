// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainTestSupport
import Testing

@testable import KeychainStore

/// An update, which writes the columns that differ.
struct UpdateTests {
    /// What another version of a row differs in.
    enum Difference: CaseIterable {
        case nothing, sealedParts, protection, tombstone, generation, primaryKey, tag, moreTags, fewerTags, otherTags

        /// The other version of a row.
        func applied(to row: StoredRow) -> StoredRow {
            var new = row
            new.version = UpdateTests.bytes(200)
            switch self {
            case .nothing: break
            case .sealedParts: (new.metadata, new.secret) = ([1], [2, 3])
            case .protection: new.protection = "dk"
            case .tombstone: new.isTombstone = true
            case .generation: new.keyGeneration = 9
            case .primaryKey: new.primaryKeyTag = UpdateTests.bytes(201)
            case .tag: new.tags = UpdateTests.tags(["acct": 1, "labl": 202, "svce": 3])
            case .moreTags: new.tags = UpdateTests.tags(["acct": 1, "agrp": 203, "labl": 2, "svce": 3, "type": 204])
            case .fewerTags: new.tags = UpdateTests.tags(["labl": 2])
            case .otherTags: new.tags = UpdateTests.tags(["agrp": 205, "labl": 206, "type": 207])
            }
            return new
        }

        /// The columns that an index may have among those that are written.
        var indexable: Set<String> {
            switch self {
            case .nothing, .sealedParts, .protection, .tombstone, .generation: []
            case .primaryKey: ["pk"]
            case .tag: ["t_labl"]
            case .moreTags: ["t_agrp", "t_type"]
            case .fewerTags: ["t_acct", "t_svce"]
            case .otherTags: ["t_acct", "t_agrp", "t_labl", "t_svce", "t_type"]
            }
        }
    }

    private static let row: StoredRow = {
        var row = StoredRow.sample(.genericPassword, 1)
        row.tags = tags(["acct": 1, "labl": 2, "svce": 3])
        return row
    }()

    @Test("a row is what it was updated to, whatever differs", arguments: Difference.allCases)
    func isWritten(_ difference: Difference) throws {
        let folder = try StoreFolder()
        let store = try folder.open()
        let other = StoredRow.sample(.genericPassword, 7)
        try store.add([Self.row, other])
        let new = difference.applied(to: Self.row)
        try store.write { (writer) throws(KeychainError) in
            var filter = RowFilter(.genericPassword)
            filter.identifier = Self.row.identifier
            let found = try writer.rows(filter)
            #expect(found.map(\.row) == [Self.row])
            for row in found { #expect(try writer.update(row, to: new)) }
        }
        #expect(try store.everyRow(.genericPassword).map(\.row) == [new, other])
        #expect(try store.structuralDefects() == [])
    }

    @Test("only what differs is written of what an index may have", arguments: Difference.allCases)
    func columns(_ difference: Difference) {
        let changes = ChangedColumns(from: Self.row, to: difference.applied(to: Self.row))
        let always: Set<String> = ["protection", "tombstone", "generation", "version", "metadata", "secret"]
        #expect(Set(changes.names) == always.union(difference.indexable))
        #expect(changes.names.count == Set(changes.names).count)
    }

    @Test("a primary key that another row has is refused, and nothing is changed")
    func takenPrimaryKey() throws {
        let folder = try StoreFolder()
        let store = try folder.open()
        let other = StoredRow.sample(.genericPassword, 7)
        try store.add([Self.row, other])
        var new = Self.row
        new.primaryKeyTag = other.primaryKeyTag
        let wanted = new
        try store.write { (writer) throws(KeychainError) in
            for row in try writer.rows(RowFilter(.genericPassword)) where row.row == Self.row {
                #expect(try !writer.update(row, to: wanted))
            }
        }
        #expect(try store.everyRow(.genericPassword).map(\.row) == [Self.row, other])
    }

    @Test("a read goes on with the state that it began with, and leaves nothing under way, even when it fails")
    func stateOfARead() throws {
        let folder = try StoreFolder()
        let (store, other) = (try folder.open(), try folder.open())
        try store.add([Self.row])
        let failure = #expect(throws: KeychainError.self) {
            try store.read { (reader) throws(KeychainError) in
                #expect(try reader.rows(RowFilter(.genericPassword)).count == 1)
                do {
                    try other.add([.sample(.genericPassword, 7)])
                } catch {
                    throw KeychainError(.internalComponent, "\(error)")
                }
                #expect(try reader.rows(RowFilter(.genericPassword)).count == 1)
                throw KeychainError(.allocate, "stop")
            }
        }
        #expect(failure?.status == .allocate)
        #expect(try store.everyRow(.genericPassword).count == 2)
        // A state that is still read keeps the log from being emptied.
        #expect(try other.eraseLog())
    }

    private static func bytes(_ value: UInt8) -> Bytes16 { Bytes16(Array(repeating: value, count: 16)) ?? .zero }

    private static func tags(_ tags: KeyValuePairs<AttributeName, UInt8>) -> [AttributeTag] {
        tags.map { AttributeTag(name: $0.key, tag: bytes($0.value)) }
    }
}
