// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// Reads rows, the keybag and the record of the device inside a transaction.
package class RowReader {
    let connection: SQLiteConnection

    required init(_ connection: SQLiteConnection) { self.connection = connection }

    /// Live rows that match, in the order in which they were added; `limit` is `nil` for all.
    package func rows(_ filter: RowFilter, limit: Int? = nil) throws(KeychainError) -> [NumberedRow] {
        do { return try connection.rows(filter, limit: limit) } catch { throw KeychainError(error) }
    }

    /// The first live row that matches, for a caller that keeps one at a time: it does not count as memory.
    package func uncountedRow(_ filter: RowFilter) throws(KeychainError) -> NumberedRow? {
        let reserveMemory = connection.reserveMemory
        connection.reserveMemory = nil
        defer { connection.reserveMemory = reserveMemory }
        return try rows(filter, limit: 1).first
    }

    /// Passes every row of a class to `body`, one at a time, including tombstones and rows in quarantine.
    ///
    /// They come in the order in which they were added, and do not count as memory.
    package func forEachRow(
        of itemClass: ItemClass,
        _ body: (NumberedRow) throws(KeychainError) -> Void
    ) throws(KeychainError) {
        let rows = try sql { () throws(SQLiteError) in try connection.everyRow(itemClass) }
        while try sql({ () throws(SQLiteError) in try rows.next() }) { try body(rows.anyRow) }
    }

    /// The rows of a class after a number, in their order, until `body` returns `false`.
    package func forEachRow(
        of itemClass: ItemClass,
        after number: Int64,
        _ body: (NumberedRow) throws(KeychainError) -> Bool
    ) throws(KeychainError) {
        let rows = try sql { () throws(SQLiteError) in try connection.everyRow(itemClass, after: number) }
        while try sql({ () throws(SQLiteError) in try rows.next() }) {
            guard try body(rows.anyRow) else { return }
        }
    }

    /// Counts memory for values that are derived from rows; the rows themselves are counted already.
    ///
    /// - Throws: The error for reading too many rows.
    package func reserve(_ byteCount: Int) throws(KeychainError) {
        do { try connection.reserve(byteCount) } catch { throw KeychainError(error) }
    }

    /// How many live rows match, counted up to `limit`: cheaper than reading them.
    package func count(_ filter: RowFilter, limit: Int) throws(KeychainError) -> Int {
        do { return try connection.count(filter, limit: limit) } catch { throw KeychainError(error) }
    }

    /// Whether there is any row, including tombstones and rows in quarantine.
    package func hasRows() throws(KeychainError) -> Bool {
        do { return try connection.hasRows() } catch { throw KeychainError(error) }
    }

    /// Rows in quarantine that match.
    package func quarantinedRows(_ filter: RowFilter, limit: Int? = nil) throws(KeychainError) -> [NumberedRow] {
        do { return try connection.rows(filter, limit: limit, .only) } catch { throw KeychainError(error) }
    }

    /// Rows that match, including those in quarantine, in the order in which they were added; without `sealedParts`,
    /// their metadata and secrets are not read, and are empty.
    package func everyRow(_ filter: RowFilter, sealedParts: Bool = true) throws(KeychainError) -> [NumberedRow] {
        do {
            return try connection.rows(filter, limit: nil, .included, sealedParts: sealedParts)
        } catch {
            throw KeychainError(error)
        }
    }
}

/// Reads and changes rows, the keybag and the record of the device inside a transaction.
package class RowWriter: RowReader {
    /// Adds a row.
    ///
    /// - Returns: Whether it was added; `false` when a live row has its primary key.
    package func insert(_ row: StoredRow) throws(KeychainError) -> Bool {
        do throws(SQLiteError) {
            try connection.insert(row)
            connection.rowChanges?.record(.added, row)
            return true
        } catch  where error.isUniqueViolation {
            return false
        } catch {
            throw KeychainError(error)
        }
    }

    /// Replaces a row, as read in this transaction, by another version of its item in place.
    ///
    /// - Returns: Whether it was replaced; `false` if another live row has its new primary key.
    package func update(_ old: NumberedRow, to row: StoredRow) throws(KeychainError) -> Bool {
        do throws(SQLiteError) {
            try connection.update(old, to: row)
            connection.rowChanges?.record(old.row, to: row)
            return true
        } catch  where error.isUniqueViolation {
            return false
        } catch {
            throw KeychainError(error)
        }
    }

    /// Removes a row.
    package func delete(_ row: NumberedRow) throws(KeychainError) {
        do { try connection.delete(row.row.itemClass, row.number) } catch { throw KeychainError(error) }
        if row.damage == nil { connection.rowChanges?.record(.removed, row.row) }
    }

    /// Removes every row of the passcode class whose keys, of one generation, were destroyed with the last passcode, in
    /// quarantine or not.
    package func deleteDestroyedRows(_ generation: UInt32) throws(KeychainError) {
        do { try connection.deleteDestroyedRows(generation) } catch { throw KeychainError(error) }
        connection.rowChanges?.recordUnknown()
    }

    /// Removes every row.
    package func deleteAllRows() throws(KeychainError) {
        do { try connection.deleteAllRows() } catch { throw KeychainError(error) }
        connection.rowChanges?.recordUnknown()
    }

    /// Quarantines a row that does not open, with its bytes, except for a part that exceeds the size that a store
    /// writes.
    package func quarantine(_ row: NumberedRow, damage: Int) throws(KeychainError) {
        do throws(SQLiteError) {
            if row.isOversized {
                try connection.markOversized(row.row.itemClass, row.number, damage: damage)
            } else {
                try connection.mark(row.row.itemClass, row.number, damage: damage)
            }
        } catch {
            throw KeychainError(error)
        }
        connection.rowChanges?.record(.removed, row.row)
    }

    /// Takes a row out of quarantine.
    ///
    /// - Returns: Whether it was; `false` when a live row has its primary key now.
    package func release(_ row: NumberedRow) throws(KeychainError) -> Bool {
        do throws(SQLiteError) {
            try connection.mark(row.row.itemClass, row.number, damage: nil)
            connection.rowChanges?.record(.added, row.row)
            return true
        } catch {
            if error.isUniqueViolation { return false }
            throw KeychainError(error)
        }
    }
}
