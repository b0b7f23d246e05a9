// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// Which of several filters a row passes.
package struct RowMarks: Sendable, Hashable {
    /// The row number.
    package let number: Int64
    /// A bit for each filter, the first the lowest.
    package let passed: UInt64
}

extension RowReader {
    /// The maximum number of filters for one comparison.
    package static var maximumMarks: Int { 62 }

    /// Compares every live row of a scope with several filters, in one pass over the table that reads no sealed bytes.
    ///
    /// - Parameters:
    ///   - filters: of the same class as the scope; at most ``maximumMarks``.
    ///   - scope: the rows to compare.
    /// - Returns: The rows, in the order in which they were added.
    /// - Throws: ``KeychainError`` of the store.
    package func marks(_ filters: [RowFilter], within scope: RowFilter) throws(KeychainError) -> [RowMarks] {
        precondition(filters.count <= Self.maximumMarks, "a mark is a bit of 64")
        do { return try connection.marks(filters, within: scope) } catch { throw KeychainError(error) }
    }
}

extension SQLiteConnection {
    fileprivate func marks(_ filters: [RowFilter], within scope: RowFilter) throws(SQLiteError) -> [RowMarks] {
        // The marks of a filter are determined from every row, so that none depends on an index that may be modified.
        let filters = filters.map { filter in
            var filter = filter
            filter.includesTombstones = true
            return filter
        }
        let bits = filters.indices.map { "CASE WHEN \(filters[$0].condition) THEN \(1 << $0) ELSE 0 END" }
        let statement = try prepare(
            """
            SELECT \(Layout.rowNumber), \(bits.isEmpty ? "0" : bits.joined(separator: " + "))
            FROM \(Layout.table(scope.itemClass)) NOT INDEXED
            WHERE \(scope.condition) AND \(Layout.damage) IS NULL
            ORDER BY \(Layout.rowNumber)
            """
        )
        defer { statement.reset() }
        var next = 0
        for filter in filters + [scope] { next = try filter.bind(to: statement, from: next) }
        return try readingLargeRows { () throws(SQLiteError) in
            var marks: [RowMarks] = []
            while try statement.step() {
                marks.append(RowMarks(number: statement.integer(0), passed: UInt64(bitPattern: statement.integer(1))))
            }
            return marks
        }
    }
}
