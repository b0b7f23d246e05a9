// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// Selects rows by terms that need no key: tags, identifiers and unencrypted columns, all of which must match.
package struct RowFilter: Sendable, Hashable {
    /// The class.
    package var itemClass: ItemClass
    /// Tags that attributes must have.
    package var tags: [AttributeTag] = []
    /// Access groups, one of which the row must belong to; `nil` for any.
    package var accessGroups: Set<SearchTag>?
    /// The primary key that the row must have; `nil` for any.
    package var primaryKey: SearchTag?
    /// The identifier.
    package var identifier: ItemIdentifier?
    /// The row number.
    package var rowNumber: Int64?
    /// The protection class.
    package var protection: String?
    /// The generation of the passcode class (`akpu`) whose keys were destroyed with the last passcode.
    ///
    /// Its rows, which can never be opened again, are excluded; `nil` for none.
    package var destroyedGeneration: UInt32?
    /// Whether tombstones are looked for, too.
    package var includesTombstones = false
    /// Whether rows are left out whose lookup attributes are listed, in a store that has such lists.
    var excludesListed = false

    /// Every live row of a class.
    package init(_ itemClass: ItemClass) { self.itemClass = itemClass }

    /// The properties that determine the SQL of a filter.
    struct Shape: Hashable {
        var tags: [AttributeName]
        /// `nil` for no condition, or one that has a parameter for each group.
        var accessGroups: Int?
        var hasManyAccessGroups: Bool
        var hasPrimaryKey: Bool
        var hasIdentifier: Bool
        var hasRowNumber: Bool
        var hasProtection: Bool
        var hasDestroyedGeneration: Bool
        var includesTombstones: Bool
        var excludesListed: Bool

        /// Feeds the properties that distinguish most filters.
        func hash(into hasher: inout Hasher) {
            var names: UInt64 = 0
            for name in tags { names = names &* 31 &+ UInt64(name.code) }
            hasher.combine(names)
            hasher.combine(accessGroups)
        }
    }

    var shape: Shape {
        Shape(
            tags: tags.map(\.name),
            accessGroups: hasManyAccessGroups ? nil : accessGroups?.count,
            hasManyAccessGroups: hasManyAccessGroups,
            hasPrimaryKey: primaryKey != nil,
            hasIdentifier: identifier != nil,
            hasRowNumber: rowNumber != nil,
            hasProtection: protection != nil,
            hasDestroyedGeneration: destroyedGeneration != nil,
            includesTombstones: includesTombstones,
            excludesListed: excludesListed
        )
    }

    /// From how many groups on they are one parameter: SQLite bounds the number of parameters.
    private static let manyAccessGroups = 1_000

    private var hasManyAccessGroups: Bool { accessGroups.map { $0.count >= Self.manyAccessGroups } ?? false }

    /// The SQL condition; ``bind(to:)`` binds its parameters in the same order.
    var condition: String {
        var terms: [String] = []
        if primaryKey != nil { terms.append("\(Layout.primaryKey) = ?") }
        if identifier != nil { terms.append("\(Layout.identifier) = ?") }
        if rowNumber != nil { terms.append("\(Layout.rowNumber) = ?") }
        // Many items are in one group: its index is for searches that name nothing else. A sign keeps SQLite from it.
        let group = (isNarrow ? "+" : "") + Layout.column(.accessGroup)
        terms += tags.map { "\($0.name == .accessGroup ? group : Layout.column($0.name)) = ?" }
        if hasManyAccessGroups {
            terms.append("hex(\(Layout.column(.accessGroup))) IN (SELECT value FROM json_each(?))")
        } else if let accessGroups {
            terms.append("\(group) IN (\(Layout.placeholders(accessGroups.count)))")
        }
        if protection != nil { terms.append("\(Layout.protection) = ?") }
        if destroyedGeneration != nil { terms.append("NOT (\(Self.isDestroyed))") }
        if !includesTombstones { terms.append("\(Layout.tombstone) = 0") }
        if excludesListed { terms.append(LookupLayout.isUnlisted(itemClass)) }
        return terms.isEmpty ? "1" : terms.joined(separator: " AND ")
    }

    /// Whether it has a term for which every store has an index.
    private var isNarrow: Bool {
        let indexed = ItemSchema.of(itemClass).indexes.map { $0[0] }
        return primaryKey != nil || identifier != nil || rowNumber != nil || tags.contains { indexed.contains($0.name) }
    }

    /// Tags as a JSON array of strings in the form of SQLite's `hex`.
    private static func list(_ tags: Set<SearchTag>) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var text: [UInt8] = []
        text.reserveCapacity(tags.count * (2 * SearchTag.count + 3) + 2)
        for tag in tags {
            text.append(UInt8(ascii: text.isEmpty ? "[" : ","))
            text.append(UInt8(ascii: "\""))
            tag.withUnsafeBytes { bytes in
                for byte in bytes { text += [digits[Int(byte >> 4)], digits[Int(byte & 15)]] }
            }
            text.append(UInt8(ascii: "\""))
        }
        text.append(UInt8(ascii: "]"))
        return String(decoding: text, as: UTF8.self)
    }

    /// The SQL condition for rows of a protection class and a generation.
    ///
    /// It reads the columns as ``RowColumns`` does, regardless of their contents, and is never NULL.
    static let isDestroyed =
        "CAST(\(Layout.protection) AS TEXT) IS ?"
        + " AND min(max(CAST(\(Layout.keyGeneration) AS INTEGER), 0), \(UInt32.max)) IS ?"

    /// Whether a row matches, by its own columns.
    ///
    /// SQLite's indexes are not authenticated: a modified entry can lead to any row, and SQLite does not check again.
    package func matches(_ row: StoredRow, number: Int64) -> Bool {
        primaryKey ?? row.primaryKeyTag == row.primaryKeyTag
            && identifier ?? row.identifier == row.identifier
            && rowNumber ?? number == number
            && tags.allSatisfy(row.tags.contains)
            && (accessGroups.map { groups in row.groupTag.map(groups.contains) ?? false } ?? true)
            && protection ?? row.protection == row.protection
            && !row.isDestroyed(destroyedGeneration)
            && (includesTombstones || !row.isTombstone)
    }

    /// Binds the parameters of ``condition``, which begin at an index; the index after the last is returned.
    func bind(to statement: SQLiteStatement, from first: Int = 0) throws(SQLiteError) -> Int {
        var index = first
        func next() -> Int {
            defer { index += 1 }
            return index
        }
        if let primaryKey { try statement.bind(primaryKey, at: next()) }
        if let identifier { try statement.bind(identifier, at: next()) }
        if let rowNumber { try statement.bind(rowNumber, at: next()) }
        for tag in tags { try statement.bind(tag.tag, at: next()) }
        if hasManyAccessGroups {
            try statement.bind(Self.list(accessGroups ?? []), at: next())
        } else {
            for tag in accessGroups ?? [] { try statement.bind(tag, at: next()) }
        }
        if let protection { try statement.bind(protection, at: next()) }
        if let destroyedGeneration {
            try statement.bind(StoredRow.passcodeProtection, at: next())
            try statement.bind(Int64(destroyedGeneration), at: next())
        }
        return index
    }
}

extension StoredRow {
    /// The protection class whose keys go with the passcode.
    static let passcodeProtection = Accessibility.whenPasscodeSetThisDeviceOnly.rawValue

    /// Whether the row belongs to the passcode class and to the generation whose keys were destroyed with the last
    /// passcode; `nil` if there is none.
    ///
    /// Any other generation, except for that of the keys, is damage: no program leaves such a row.
    package func isDestroyed(_ generation: UInt32?) -> Bool {
        keyGeneration == generation && protection == Self.passcodeProtection
    }
}

/// Whether rows in quarantine are included.
enum Quarantine: Hashable {
    /// Only live rows are.
    case excluded
    /// Only rows in quarantine are.
    case only
    /// Both are.
    case included

    /// The SQL condition, after another one.
    var condition: String {
        switch self {
        case .excluded: " AND \(Layout.damage) IS NULL"
        case .only: " AND \(Layout.damage) IS NOT NULL"
        case .included: ""
        }
    }

    /// Whether a row matches, by its own column.
    func matches(_ row: NumberedRow) -> Bool {
        switch self {
        case .excluded: row.damage == nil
        case .only: row.damage != nil
        case .included: true
        }
    }
}
