// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import Testing

@testable import KeychainStore

/// What a filter says of a row that SQLite gave for it, whichever index led there.
struct RowFilterTests {
    /// One condition of a filter.
    enum Condition: CaseIterable {
        case none, primaryKey, identifier, rowNumber, tag, accessGroup, protection, destroyedGeneration

        /// The condition that the row below meets, or one that it does not.
        func filter(isMet: Bool) -> RowFilter {
            var filter = RowFilter(.key)
            let value = isMet ? RowFilterTests.bytes(1) : RowFilterTests.bytes(9)
            switch self {
            case .none: filter.includesTombstones = isMet
            case .primaryKey: filter.primaryKey = value
            case .identifier: filter.identifier = value
            case .rowNumber: filter.rowNumber = isMet ? 7 : 8
            case .tag: filter.tags = [AttributeTag(name: "labl", tag: value)]
            case .accessGroup: filter.accessGroups = isMet ? [RowFilterTests.bytes(9), value] : [value]
            case .protection: filter.protection = isMet ? "ak" : "dk"
            case .destroyedGeneration: filter.destroyedGeneration = isMet ? 2 : 1
            }
            return filter
        }
    }

    @Test("a row matches by its own columns", arguments: Condition.allCases)
    func matches(_ condition: Condition) {
        var row = Self.row(isTombstone: condition == .none)
        if condition == .destroyedGeneration { row.protection = "akpu" }
        #expect(condition.filter(isMet: true).matches(row, number: 7))
        #expect(!condition.filter(isMet: false).matches(row, number: 7))
    }

    @Test("a row without a tag matches nothing that asks for one")
    func withoutTags() {
        var row = Self.row(isTombstone: false)
        row.tags = []
        #expect(!Condition.tag.filter(isMet: true).matches(row, number: 7))
        #expect(!Condition.accessGroup.filter(isMet: true).matches(row, number: 7))
        #expect(RowFilter(.key).matches(row, number: 7))
    }

    @Test("a generation of the passcode's class concerns no other class")
    func otherClasses() {
        var filter = RowFilter(.key)
        filter.destroyedGeneration = 1
        #expect(filter.matches(Self.row(isTombstone: false), number: 7))
    }

    private static func row(isTombstone: Bool) -> StoredRow {
        let tags: [AttributeName] = ["agrp", "labl"]
        return StoredRow(
            itemClass: .key,
            identifier: bytes(1),
            protection: "ak",
            isTombstone: isTombstone,
            keyGeneration: 1,
            version: bytes(2),
            primaryKeyTag: bytes(1),
            tags: tags.map { AttributeTag(name: $0, tag: bytes(1)) }
        )
    }

    fileprivate static func bytes(_ byte: UInt8) -> Bytes16 {
        Bytes16(Array(repeating: byte, count: 16)) ?? .zero
    }
}
