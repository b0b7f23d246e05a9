// SPDX-License-Identifier: Apache-2.0

import KeychainCore

extension RowReader {
    /// Passes every row as stored, in quarantine or not, in the order of places, until `body` returns `false`.
    ///
    /// - Parameters:
    ///   - place: the row after which to start; `nil` for the first one.
    ///   - body: receives a row, or `nil` for a malformed one, and returns whether to continue.
    /// - Throws: ``KeychainError``, including the errors of `body`.
    package func forEachMovedRow(
        after place: MovedRow.Place? = nil,
        _ body: (MovedRow?) throws(KeychainError) -> Bool
    ) throws(KeychainError) {
        let classes = ItemClass.stored
        let first = place.flatMap { classes.firstIndex(of: $0.itemClass) } ?? 0
        for itemClass in classes[first...] {
            let number = itemClass == place?.itemClass ? place?.number : nil
            let rows = try sql { () throws(SQLiteError) in try connection.everyRow(itemClass, after: number) }
            while try sql({ () throws(SQLiteError) in try rows.next() }) {
                let row = rows.row.flatMap { row in
                    row.isOversized ? nil : MovedRow(number: row.number, row: row.row, damage: row.damage)
                }
                guard try body(row) else { return }
            }
        }
    }
}

extension RowWriter {
    /// Adds a row of another store, with its number.
    ///
    /// - Returns: Whether it was added; `false` if a row with its number, its identifier or its primary key exists.
    package func insert(_ moved: MovedRow) throws(KeychainError) -> Bool {
        do throws(SQLiteError) {
            try connection.insert(NumberedRow(number: moved.number, row: moved.row, damage: moved.damage))
            connection.rowChanges?.recordUnknown()
            return true
        } catch {
            if error.isUniqueViolation { return false }
            throw KeychainError(error)
        }
    }
}
