// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// Plays changes of item rows without making them: later reads of the same rehearsal see them, and the store stays as it is.
///
/// It lies over a transaction that need not hold the write lock. Only what the item functions call is played.
public final class RehearsedRows: RowWriter {
    /// The rows that were changed or removed, as they lie in the store, in the order in which that came.
    public private(set) var touched: [NumberedRow] = []

    /// For each change that met a row with its primary key: the key, the row that was to be changed if there was one, and the
    /// row that has the key.
    public private(set) var conflicts: [Conflict] = []

    /// A primary key that was taken.
    public struct Conflict: Sendable {
        /// The number of the row that was to get the key; `nil` for a new one.
        public let number: Int64?
        /// The row that has it.
        public let holder: NumberedRow
    }

    private var removed: [ItemClass: Set<Int64>] = [:]
    private var written: [ItemClass: [Int64: NumberedRow]] = [:]
    private var nextNumber = Int64.max / 2

    /// A rehearsal over what a transaction reads.
    public convenience init(over reader: RowReader) { self.init(reader.connection) }

    required init(_ connection: Connection) { super.init(connection) }

    override public func rows(_ filter: RowFilter, limit: Int? = nil) throws(KeychainError) -> [NumberedRow] {
        let removed = removed[filter.itemClass] ?? []
        let written = written[filter.itemClass] ?? [:]
        if removed.isEmpty, written.isEmpty { return try super.rows(filter, limit: limit) }
        var rows = try super.rows(filter, limit: limit.map { $0 + removed.count }).filter {
            !removed.contains($0.number)
        }
        rows += written.values.filter { filter.matches($0.row, number: $0.number) }
        rows.sort { $0.number < $1.number }
        return limit.map { Array(rows.prefix($0)) } ?? rows
    }

    override public func count(_ filter: RowFilter, limit: Int) throws(KeychainError) -> Int {
        try rows(filter, limit: limit).count
    }

    override public func insert(_ row: StoredRow) throws(KeychainError) -> Bool {
        if let holder = try holder(of: row.primaryKeyTag, row.itemClass) {
            conflicts.append(Conflict(number: nil, holder: holder))
            return false
        }
        nextNumber += 1
        write(row, nextNumber)
        return true
    }

    override public func update(_ number: Int64, to row: StoredRow) throws(KeychainError) -> Bool {
        if let holder = try holder(of: row.primaryKeyTag, row.itemClass), holder.number != number {
            conflicts.append(Conflict(number: number, holder: holder))
            return false
        }
        try touch(row.itemClass, number)
        write(row, number)
        return true
    }

    override public func delete(_ row: NumberedRow) throws(KeychainError) {
        if isStored(row) { touched.append(row) }
        remove(row)
    }

    override public func quarantine(_ row: NumberedRow, damage: Int) throws(KeychainError) { remove(row) }

    private func holder(of key: SearchTag, _ itemClass: ItemClass) throws(KeychainError) -> NumberedRow? {
        var filter = RowFilter(itemClass)
        filter.primaryKey = key
        filter.includesTombstones = true
        return try rows(filter, limit: 1).first
    }

    /// Notes a row of the store that is changed for the first time.
    private func touch(_ itemClass: ItemClass, _ number: Int64) throws(KeychainError) {
        guard written[itemClass]?[number] == nil, !(removed[itemClass]?.contains(number) ?? false) else { return }
        var filter = RowFilter(itemClass)
        filter.rowNumber = number
        filter.includesTombstones = true
        if let row = try super.rows(filter, limit: 1).first { touched.append(row) }
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
