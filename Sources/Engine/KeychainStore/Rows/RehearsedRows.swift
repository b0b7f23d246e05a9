// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// Simulates changes of item rows: later reads of the same rehearsal see them, but the store is unchanged.
///
/// It is based on a transaction that need not hold the write lock. It supports only what the item functions call.
package final class RehearsedRows: RowWriter {
    /// The rows that were changed or removed, as they are in the store, in the order of the changes.
    package private(set) var touched: [NumberedRow] = []

    /// For each change that conflicted with a row with its primary key: the key, the row to be changed if any, and the
    /// row that has the key.
    package private(set) var conflicts: [Conflict] = []

    /// A primary key that was already in use.
    package struct Conflict: Sendable {
        /// The number of the row that was to get the key; `nil` for a new one.
        package let number: Int64?
        /// The row that has it.
        package let holder: NumberedRow
    }

    private var removed: [ItemClass: Set<Int64>] = [:]
    private var written: [ItemClass: [Int64: NumberedRow]] = [:]
    private var nextNumber = Int64.max / 2

    /// A rehearsal over what a transaction reads.
    package convenience init(over reader: RowReader) { self.init(reader.connection) }

    required init(_ connection: SQLiteConnection) { super.init(connection) }

    override package func rows(_ filter: RowFilter, limit: Int? = nil) throws(KeychainError) -> [NumberedRow] {
        guard hasChanges(filter.itemClass) else { return try super.rows(filter, limit: limit) }
        let removed = removed[filter.itemClass] ?? []
        let rows = changed(try super.rows(filter, limit: limit.map { $0 + removed.count }), filter)
        return limit.map { Array(rows.prefix($0)) } ?? rows
    }

    /// Always with their sealed parts, because the user of a rehearsal opens the rows that it changed.
    override package func everyRow(
        _ filter: RowFilter,
        sealedParts: Bool = true
    ) throws(KeychainError) -> [NumberedRow] {
        changed(try super.everyRow(filter, sealedParts: true), filter)
    }

    override package func count(_ filter: RowFilter, limit: Int) throws(KeychainError) -> Int {
        try rows(filter, limit: limit).count
    }

    override package func insert(_ row: StoredRow) throws(KeychainError) -> Bool {
        if let holder = try holder(of: row.primaryKeyTag, row.itemClass) {
            conflicts.append(Conflict(number: nil, holder: holder))
            return false
        }
        nextNumber += 1
        write(row, nextNumber)
        return true
    }

    override package func update(_ old: NumberedRow, to row: StoredRow) throws(KeychainError) -> Bool {
        if let holder = try holder(of: row.primaryKeyTag, row.itemClass), holder.number != old.number {
            conflicts.append(Conflict(number: old.number, holder: holder))
            return false
        }
        if isStored(old) { touched.append(old) }
        write(row, old.number)
        return true
    }

    override package func delete(_ row: NumberedRow) throws(KeychainError) {
        if isStored(row) { touched.append(row) }
        remove(row)
    }

    override package func quarantine(_ row: NumberedRow, damage: Int) throws(KeychainError) { remove(row) }

    private func holder(of key: SearchTag, _ itemClass: ItemClass) throws(KeychainError) -> NumberedRow? {
        var filter = RowFilter(itemClass)
        filter.primaryKey = key
        filter.includesTombstones = true
        return try rows(filter, limit: 1).first
    }

    private func hasChanges(_ itemClass: ItemClass) -> Bool {
        !(removed[itemClass] ?? []).isEmpty || !(written[itemClass] ?? [:]).isEmpty
    }

    /// Rows of the store as they would be, and those that would be added, in the order in which they were added.
    private func changed(_ stored: [NumberedRow], _ filter: RowFilter) -> [NumberedRow] {
        let removed = removed[filter.itemClass] ?? []
        let written = (written[filter.itemClass] ?? [:]).values.filter { filter.matches($0.row, number: $0.number) }
        return (stored.filter { !removed.contains($0.number) } + written).sorted { $0.number < $1.number }
    }

    private func isStored(_ row: NumberedRow) -> Bool {
        written[row.row.itemClass]?[row.number] == nil && !(removed[row.row.itemClass]?.contains(row.number) ?? false)
    }

    private func write(_ row: StoredRow, _ number: Int64) {
        removed[row.itemClass, default: []].insert(number)
        written[row.itemClass, default: [:]][number] = NumberedRow(number: number, row: row, damage: nil)
    }

    private func remove(_ row: NumberedRow) {
        removed[row.row.itemClass, default: []].insert(row.number)
        written[row.row.itemClass]?[row.number] = nil
    }
}
