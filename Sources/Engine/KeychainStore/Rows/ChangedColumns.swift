// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// The columns that an update of a row has to write: those of every version, and of the others what differs.
struct ChangedColumns: Hashable {
    /// Whether the primary key has another tag.
    private let hasOtherPrimaryKey: Bool
    /// Whether it was a row of the format before.
    private let wasFormer: Bool
    /// The attributes whose tag is added, removed or changed.
    private let tags: [AttributeName]

    /// The differences between two rows of one item: its identifier stays.
    init(from old: StoredRow, to new: StoredRow) {
        hasOtherPrimaryKey = old.primaryKeyTag != new.primaryKeyTag
        wasFormer = old.former != nil
        var changed: [AttributeName] = []
        // Both lists are ordered by name.
        var (index, other) = (0, 0)
        while index < old.tags.count || other < new.tags.count {
            let before = index < old.tags.count ? old.tags[index] : nil
            let after = other < new.tags.count ? new.tags[other] : nil
            if before == after {
                (index, other) = (index + 1, other + 1)
            } else if let before, after.map({ before.name <= $0.name }) ?? true {
                changed.append(before.name)
                index += 1
                if before.name == after?.name { other += 1 }
            } else if let after {
                changed.append(after.name)
                other += 1
            }
        }
        tags = changed
    }

    /// The names of the columns, in the order in which ``bind(_:metadata:secret:to:)`` binds their values.
    var names: [String] {
        [Layout.protection, Layout.tombstone, Layout.keyGeneration, Layout.version16, Layout.metadata, Layout.secret]
            + (hasOtherPrimaryKey ? [Layout.primaryKey] : []) + (wasFormer ? [Layout.former] : [])
            + tags.map(Layout.column)
    }

    /// Binds the values of the new row, whose sealed parts stay in their place; the index after the last is returned.
    func bind(
        _ row: StoredRow,
        metadata: UnsafeRawBufferPointer,
        secret: UnsafeRawBufferPointer,
        to statement: SQLiteStatement
    ) throws(SQLiteError) -> Int {
        try statement.bind(row.protection, at: 0)
        try statement.bind(row.isTombstone ? 1 : 0, at: 1)
        try statement.bind(Int64(row.keyGeneration), at: 2)
        try statement.bind(row.version, at: 3)
        try statement.bind(borrowing: metadata, at: 4)
        try statement.bind(borrowing: secret, at: 5)
        var next = 6
        if hasOtherPrimaryKey {
            try statement.bind(row.primaryKeyTag, at: next)
            next += 1
        }
        // Unbound parameters are NULL, so only existing values are bound.
        if wasFormer { next += 1 }
        for name in tags {
            if let tag = row.tags.first(where: { $0.name == name }) { try statement.bind(tag.tag, at: next) }
            next += 1
        }
        return next
    }
}
