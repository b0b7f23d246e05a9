// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// The columns of an item table in the order in which statements name them.
enum RowColumns {
    private static let clear = [
        Layout.identifier, Layout.protection, Layout.tombstone, Layout.keyGeneration, Layout.version16,
        Layout.primaryKey, Layout.metadata, Layout.secret,
    ]

    static func names(_ itemClass: ItemClass) -> [String] {
        clear + ItemSchema.of(itemClass).searchableNames.map(Layout.column)
    }

    /// All columns that the tables have had since the first version, tags as far as this one has them.
    static func lasting(_ itemClass: ItemClass) -> [String] { [Layout.rowNumber, Layout.damage] + names(itemClass) }

    /// The columns of a SELECT.
    ///
    /// If guarded, there is an additional last column, which reports whether a part exceeds the size that a store
    /// writes, or is a text, whose length SQLite can determine only by reading it.
    static func list(of itemClass: ItemClass, in tables: ItemTables, extent: RowExtent) -> String {
        let tags = tables.tagNames(itemClass).map(Layout.column)
        let sealed = [Layout.metadata, Layout.secret]
        // NULL, even for mandatory columns: typeof() does not read the content.
        let parts = extent == .clear ? sealed.map { "CASE WHEN typeof(\($0)) IS NULL THEN 0 END" } : sealed
        let names = clear.dropLast(parts.count) + parts + [tables.former] + tags
        guard extent == .guarded else { return ([Layout.rowNumber, Layout.damage] + names).joined(separator: ", ") }
        let isOversized = [Layout.metadata, Layout.secret].map {
            "typeof(\($0)) = 'text' OR typeof(\($0)) = 'blob' AND length(\($0)) > \(ItemLimits.partByteCount)"
        }
        return ([Layout.rowNumber, damage] + names.map(Self.guarded) + [isOversized.joined(separator: " OR ")])
            .joined(separator: ", ")
    }

    /// A column, or NULL if its content exceeds the size that a store writes.
    ///
    /// Neither typeof() of any column nor length() of a blob causes SQLite to read the content.
    static func guarded(_ column: String) -> String {
        switch column {
        case Layout.protection, Layout.tombstone, Layout.keyGeneration:
            "CASE WHEN typeof(\(column)) <> 'blob' OR length(\(column)) <= \(Bytes16.count) THEN \(column) END"
        case Layout.metadata, Layout.secret:
            "CASE WHEN typeof(\(column)) = 'blob' AND length(\(column)) <= \(ItemLimits.partByteCount) THEN \(column) END"
        case Layout.former:
            "CASE WHEN typeof(\(column)) = 'null' OR typeof(\(column)) = 'blob' AND length(\(column)) <= \(formerLimit)"
                + " THEN \(column) ELSE 0 END"
        case "x''": column
        case Layout.identifier, Layout.version16, Layout.primaryKey:
            "CASE WHEN \(isTag(column)) THEN \(column) END"
        // A malformed tag is not the same as no tag.
        default: "CASE WHEN typeof(\(column)) = 'null' OR \(isTag(column)) THEN \(column) ELSE 0 END"
        }
    }

    private static let damage =
        "CASE WHEN typeof(\(Layout.damage)) IN ('null', 'integer') THEN \(Layout.damage) ELSE 0 END"

    private static func isTag(_ column: String) -> String {
        "typeof(\(column)) = 'blob' AND length(\(column)) = \(Bytes16.count)"
    }

    /// Larger than a sealed tag.
    private static let formerLimit = 64

    /// Calls `body` with the index after the last column while all columns are bound; then resets the statement.
    ///
    /// SQLite reads the bytes in place: it would allocate memory for a copy of each.
    static func binding(
        _ row: StoredRow,
        to statement: SQLiteStatement,
        _ body: (_ next: Int) throws(SQLiteError) -> Void
    ) throws(SQLiteError) {
        var values = [row.identifier, row.version, row.primaryKeyTag]
        values.reserveCapacity(values.count + row.tags.count)
        for tag in row.tags { values.append(tag.tag) }
        try row.withSealedParts { (metadata, secret) throws(SQLiteError) in
            try values.withUnsafeBufferPointer { (values) throws(SQLiteError) in
                defer { statement.reset() }
                try statement.bind(borrowing: values[0...0], at: 0)
                try statement.bind(row.protection, at: 1)
                try statement.bind(row.isTombstone ? 1 : 0, at: 2)
                try statement.bind(Int64(row.keyGeneration), at: 3)
                try statement.bind(borrowing: values[1...1], at: 4)
                try statement.bind(borrowing: values[2...2], at: 5)
                try statement.bind(borrowing: metadata, at: 6)
                try statement.bind(borrowing: secret, at: 7)
                // Unbound parameters are NULL, so only existing tags are bound. Both lists are ordered by name.
                let searchable = ItemSchema.of(row.itemClass).searchableNames
                var next = 0
                for (offset, name) in searchable.enumerated()
                where next < row.tags.count && row.tags[next].name == name {
                    try statement.bind(borrowing: values[next + 3...next + 3], at: clear.count + offset)
                    next += 1
                }
                try body(clear.count + searchable.count)
            }
        }
    }

    /// A row as stored in the file.
    ///
    /// Malformed columns result in values that are not authentic.
    static func read(
        _ itemClass: ItemClass,
        in tables: ItemTables,
        from statement: SQLiteStatement,
        extent: RowExtent
    ) -> NumberedRow {
        let first = 2
        let former = first + clear.count
        let names = tables.tagNames(itemClass)
        var tags: [AttributeTag] = []
        tags.reserveCapacity(names.count)
        for (offset, name) in names.enumerated() {
            let index = former + 1 + offset
            if statement.isNull(index) { continue }
            tags.append(AttributeTag(name: name, tag: statement.bytes16(index) ?? .zero))
        }
        let row = StoredRow(
            itemClass: itemClass,
            identifier: statement.bytes16(first) ?? .zero,
            protection: statement.text(first + 1),
            isTombstone: statement.integer(first + 2) != 0,
            keyGeneration: UInt32(clamping: statement.integer(first + 3)),
            version: statement.bytes16(first + 4) ?? .zero,
            primaryKeyTag: statement.bytes16(first + 5) ?? .zero,
            tags: tags,
            former: statement.isNull(former) ? nil : statement.bytes(former),
            metadata: statement.bytes(first + 6),
            secret: statement.bytes(first + 7)
        )
        let damage = statement.isNull(1) ? nil : Int(statement.integer(1))
        let isOversized = extent == .guarded && statement.integer(former + 1 + names.count) != 0
        return NumberedRow(number: statement.integer(0), row: row, damage: damage, isOversized: isOversized)
    }

    /// A row of a guarded list, as stored in the file; `nil` if a column is malformed.
    static func readExactly(
        _ itemClass: ItemClass,
        _ tables: ItemTables,
        from statement: SQLiteStatement
    ) -> NumberedRow? {
        let first = 2
        let former = first + clear.count
        let tags = former + 1..<former + 1 + tables.tagNames(itemClass).count
        let hasShape =
            statement.type(0) == .integer && rowNumbers.contains(statement.integer(0))
            && [.null, .integer].contains(statement.type(1))
            && [first, first + 4, first + 5].allSatisfy { statement.type($0) == .blob && statement.bytes16($0) != nil }
            && statement.type(first + 1) == .text
            && statement.type(first + 2) == .integer && (0...1).contains(statement.integer(first + 2))
            && statement.type(first + 3) == .integer && UInt32(exactly: statement.integer(first + 3)) != nil
            && [first + 6, first + 7].allSatisfy { statement.type($0) == .blob }
            && [.null, .blob].contains(statement.type(former))
            && tags.allSatisfy {
                statement.isNull($0) || statement.type($0) == .blob && statement.bytes16($0) != nil
            }
        return hasShape ? read(itemClass, in: tables, from: statement, extent: .guarded) : nil
    }

    /// Row numbers after which there is room for more.
    static let rowNumbers: ClosedRange<Int64> = 1...(1 << 62)
}
