// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainTestSupport
import Testing

@testable import KeychainStore

/// Changes that are made together, one of which is undone after it has written more than the cache holds.
struct UndoneCallTests {
    private static let count = 2_000

    /// A row among many, whose tags lie scattered over the pages.
    private static func row(_ number: Int, version: Int = 0) -> StoredRow {
        var row = StoredRow.sample(.key, 0, metadata: Array(repeating: UInt8(truncatingIfNeeded: version), count: 300))
        row.identifier = tag(number)
        row.primaryKeyTag = tag(number + version * count * 10)
        return row
    }

    private static func tag(_ number: Int) -> Bytes16 {
        var random = SeededGenerator(seed: UInt64(number))
        return Bytes16((0..<16).map { _ in UInt8.random(in: 0...255, using: &random) }) ?? .zero
    }

    @Test("what was committed, together and after it, outlives a restart", arguments: [10, 100, 500, 2_000])
    func afterSpill(_ changeCount: Int) throws {
        let folder = try StoreFolder()
        var options = StoreOptions()
        options.cacheKibibytes = 512
        let store = try folder.open(options)
        try store.add((0..<Self.count).map { Self.row($0) })
        #expect(try store.eraseLog())
        store.beginGroup()
        func add(_ number: Int) throws {
            try store.inGroup { () throws(KeychainError) in
                try store.write { (writer) throws(KeychainError) in _ = try writer.insert(Self.row(number)) }
            }
        }
        try add(Self.count)
        let spills = store.connection.spillCount
        #expect(throws: KeychainError.self) {
            try store.inGroup { () throws(KeychainError) in
                try store.write { (writer) throws(KeychainError) in
                    for step in 0..<changeCount {
                        let number = step * 919 % Self.count
                        var filter = RowFilter(.key)
                        filter.identifier = Self.tag(number)
                        for found in try writer.rows(filter) {
                            _ = try writer.update(found, to: Self.row(number, version: 1))
                        }
                    }
                }
                throw KeychainError(.duplicateItem, "it is undone")
            }
        }
        #expect((store.connection.spillCount > spills) == (changeCount > 100), "the larger ones leave the cache")
        let isLost = store.isGroupLost
        #expect(isLost == (changeCount > 100), "those that do not leave the cache are undone alone")
        if !isLost { try add(Self.count + 1) }
        try store.endGroup()
        for number: UInt8 in 0..<19 { try store.add([.sample(.genericPassword, number)]) }
        let restarted = try folder.afterRestart().open()
        let found = try restarted.everyRow(.key)
        #expect(found.count == Self.count + (isLost ? 0 : 2))
        #expect(found.allSatisfy { $0.row.metadata.first == 0 })
        #expect(try restarted.everyRow(.genericPassword).count == 19)
    }
}
