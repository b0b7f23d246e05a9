// SPDX-License-Identifier: Apache-2.0

import CSQLite
import KeychainCore

/// The SQL on item rows, and the conversion of rows to parameters and from columns.
extension SQLiteConnection {
    /// Rows that match, in the order in which they were added; at most `limit`, if there is one.
    func rows(
        _ filter: RowFilter,
        limit: Int?,
        _ quarantine: Quarantine = .excluded,
        sealedParts: Bool = true
    ) throws(SQLiteError) -> [NumberedRow] {
        do throws(SQLiteError) {
            return try rows(matching: filter, limit: limit, quarantine: quarantine, extent: sealedParts ? .all : .clear)
        } catch  where error.isTooLarge {
            return try readingLargeRows { () throws(SQLiteError) in
                try rows(matching: filter, limit: limit, quarantine: quarantine, extent: .guarded)
            }
        } catch {
            throw error
        }
    }

    private func rows(
        matching filter: RowFilter,
        limit: Int?,
        quarantine: Quarantine,
        extent: RowExtent
    ) throws(SQLiteError) -> [NumberedRow] {
        let key = StatementKey(
            .select(limited: limit != nil, quarantine: quarantine, extent),
            of: filter.itemClass,
            filter: filter.shape
        )
        let statement = try statement(key) {
            """
            SELECT \(RowColumns.list(of: filter.itemClass, in: tables, extent: extent)) FROM \(Layout.table(filter.itemClass))
            WHERE \(filter.condition)\(quarantine.condition)
            ORDER BY \(Layout.rowNumber)\(limit == nil ? "" : " LIMIT ?")
            """
        }
        defer { statement.reset() }
        let next = try filter.bind(to: statement)
        if let limit { try statement.bind(Int64(limit), at: next) }
        var rows: [NumberedRow] = []
        while try statement.step() {
            let row = RowColumns.read(filter.itemClass, in: tables, from: statement, extent: extent)
            guard filter.matches(row.row, number: row.number), quarantine.matches(row) else {
                throw SQLiteError(code: SQLITE_CORRUPT, operation: "following an index, which led to another row")
            }
            try reserve(row.row.byteCount)
            rows.append(row)
        }
        return rows
    }

    /// Counts memory for what is read.
    func reserve(_ byteCount: Int) throws(SQLiteError) {
        guard reserveMemory?(byteCount) ?? true else {
            throw SQLiteError(code: SQLITE_NOMEM, operation: "reading too many or too large items at once")
        }
    }

    /// How many live rows match, counted up to `limit`.
    func count(_ filter: RowFilter, limit: Int) throws(SQLiteError) -> Int {
        let statement = try statement(StatementKey(.count, of: filter.itemClass, filter: filter.shape)) {
            """
            SELECT COUNT(*) FROM (
                SELECT 1 FROM \(Layout.table(filter.itemClass))
                WHERE \(filter.condition) AND \(Layout.damage) IS NULL LIMIT ?
            )
            """
        }
        defer { statement.reset() }
        try statement.bind(Int64(limit), at: try filter.bind(to: statement))
        return try readingLargeRows { () throws(SQLiteError) in
            try statement.step() ? Int(statement.integer(0)) : 0
        }
    }

    /// Every row of a class, in quarantine or not, in the order in which they were added.
    ///
    /// If a number is given, only the rows after it.
    func everyRow(
        _ itemClass: ItemClass,
        after number: Int64? = nil,
        of table: String? = nil
    ) throws(SQLiteError) -> RowCursor {
        let condition = number == nil ? "" : "WHERE \(Layout.rowNumber) > ?"
        let statement = try prepare(
            """
            SELECT \(RowColumns.list(of: itemClass, in: tables, extent: .guarded)) FROM \(table ?? Layout.table(itemClass)) NOT INDEXED
            \(condition) ORDER BY \(Layout.rowNumber)
            """
        )
        if let number { try statement.bind(number, at: 0) }
        return RowCursor(of: itemClass, statement: statement, connection: self)
    }

    func hasRows() throws(SQLiteError) -> Bool {
        for itemClass in ItemClass.stored
        where try integer("SELECT EXISTS (SELECT 1 FROM \(Layout.table(itemClass)))") != 0 { return true }
        return false
    }

    func insert(_ row: StoredRow) throws(SQLiteError) {
        let statement = try statement(StatementKey(.insert, of: row.itemClass)) {
            let columns = RowColumns.names(row.itemClass)
            return """
                INSERT INTO \(Layout.table(row.itemClass)) (\(columns.joined(separator: ", ")))
                VALUES (\(Layout.placeholders(columns.count)))
                """
        }
        try RowColumns.binding(row, to: statement) { (_) throws(SQLiteError) in try changeOneRow(statement) }
        let inserted = lastRowNumber
        let number =
            RowColumns.rowNumbers.contains(inserted) ? inserted : try renumber(row.itemClass, inserted)
        try list(row.lookup, of: row.itemClass, number, version: row.version)
        try indexManyRows(row.itemClass, inserted)
    }

    /// Gives a row a valid number if it has one that no store assigns: SQLite would assign the next one after it, or a
    /// random one.
    ///
    /// - Returns: The number.
    private func renumber(_ itemClass: ItemClass, _ number: Int64) throws(SQLiteError) -> Int64 {
        let (table, id, end) = (Layout.table(itemClass), Layout.rowNumber, RowColumns.rowNumbers.upperBound)
        let valid = "\(id) BETWEEN 1 AND \(end - 1)"
        let statement = try prepare(
            """
            UPDATE \(table) SET \(id) = (SELECT coalesce(max(\(id)), 0) + 1 FROM \(table) WHERE \(valid))
            WHERE \(id) = \(number)
            """
        )
        try changeOneRow(statement)
        statement.reset()
        return try integer("SELECT max(\(id)) FROM \(table) WHERE \(valid)")
    }

    /// Creates the search indexes of a class in memory once it has enough rows; in a file, the one of access groups is
    /// created after the change.
    private func indexManyRows(_ itemClass: ItemClass, _ number: Int64) throws(SQLiteError) {
        if indexesGroups, number.isMultiple(of: Self.rowsWithoutGroupIndex) { hasManyRows = true }
        guard isInMemory, number.isMultiple(of: Self.rowsWithoutIndexes) else { return }
        for statement in Layout.searchIndexes(itemClass, ifMissing: true) { try execute(statement) }
        hasSearchIndexes = true
    }

    /// Fewer rows are scanned faster than indexes are created.
    private static let rowsWithoutIndexes: Int64 = 128

    /// The same of an index of access groups, which each add of an item has to keep up to date.
    static let rowsWithoutGroupIndex: Int64 = 1_024

    /// Adds a row under a number that it had elsewhere, in quarantine if it was.
    func insert(_ row: NumberedRow) throws(SQLiteError) {
        let itemClass = row.row.itemClass
        let statement = try statement(StatementKey(.insertNumbered, of: itemClass)) {
            let columns = RowColumns.names(itemClass) + [Layout.rowNumber, Layout.damage, Layout.former]
            return """
                INSERT INTO \(Layout.table(itemClass)) (\(columns.joined(separator: ", ")))
                VALUES (\(Layout.placeholders(columns.count)))
                """
        }
        try RowColumns.binding(row.row, to: statement) { (next) throws(SQLiteError) in
            try statement.bind(row.number, at: next)
            if let damage = row.damage { try statement.bind(Int64(damage), at: next + 1) }
            if let former = row.row.former { try statement.bind(former, at: next + 2) }
            try changeOneRow(statement)
        }
        try list(row.row.lookup, of: itemClass, row.number, version: row.row.version)
        try indexManyRows(itemClass, row.number)
    }

    /// Writes the changed columns: SQLite rewrites every index that contains one of the given columns.
    func update(_ old: NumberedRow, to row: StoredRow) throws(SQLiteError) {
        let changes = ChangedColumns(from: old.row, to: row)
        let statement = try statement(StatementKey(.update(changes), of: row.itemClass)) {
            let assignments = changes.names.map { "\($0) = ?" }
            return """
                UPDATE \(Layout.table(row.itemClass)) SET \(assignments.joined(separator: ", "))
                WHERE \(Layout.rowNumber) = ?
                """
        }
        try row.withSealedParts { (metadata, secret) throws(SQLiteError) in
            defer { statement.reset() }
            let next = try changes.bind(row, metadata: metadata, secret: secret, to: statement)
            try statement.bind(old.number, at: next)
            try changeOneRow(statement)
        }
        try list(row.lookup, of: row.itemClass, old.number, version: row.version)
    }

    func delete(_ itemClass: ItemClass, _ number: Int64) throws(SQLiteError) {
        let statement = try statement(StatementKey(.delete, of: itemClass)) {
            "DELETE FROM \(Layout.table(itemClass)) WHERE \(Layout.rowNumber) = ?"
        }
        defer { statement.reset() }
        try statement.bind(number, at: 0)
        try readingLargeRows { () throws(SQLiteError) in try changeOneRow(statement) }
        try unlist(itemClass, number)
    }

    /// Removes every row of the passcode's own class and of a generation, in quarantine or not.
    func deleteDestroyedRows(_ generation: UInt32) throws(SQLiteError) {
        for itemClass in ItemClass.stored {
            let statement = try prepare(
                "DELETE FROM \(Layout.table(itemClass)) WHERE \(RowFilter.isDestroyed)"
            )
            try statement.bind(StoredRow.passcodeProtection, at: 0)
            try statement.bind(Int64(generation), at: 1)
            try readingLargeRows { () throws(SQLiteError) in _ = try statement.step() }
        }
        try unlistMissing()
    }

    func deleteAllRows() throws(SQLiteError) {
        for itemClass in ItemClass.stored {
            let statement = try statement(StatementKey(.deleteAll, of: itemClass)) {
                "DELETE FROM \(Layout.table(itemClass))"
            }
            defer { statement.reset() }
            try readingLargeRows { () throws(SQLiteError) in _ = try statement.step() }
        }
        try unlistMissing()
    }

    /// Sets or, for `nil`, clears the mark of a row in quarantine.
    func mark(_ itemClass: ItemClass, _ number: Int64, damage: Int?) throws(SQLiteError) {
        let statement = try statement(StatementKey(.mark, of: itemClass)) {
            "UPDATE \(Layout.table(itemClass)) SET \(Layout.damage) = ? WHERE \(Layout.rowNumber) = ?"
        }
        defer { statement.reset() }
        if let damage { try statement.bind(Int64(damage), at: 0) }
        try statement.bind(number, at: 1)
        try readingLargeRows { () throws(SQLiteError) in try changeOneRow(statement) }
    }

    /// Sets the mark of a row with a part that exceeds the size that a store writes, and empties that part: SQLite
    /// would have to load it into memory to write it again.
    func markOversized(_ itemClass: ItemClass, _ number: Int64, damage: Int) throws(SQLiteError) {
        let statement = try statement(StatementKey(.markLarge, of: itemClass)) {
            let parts = [Layout.metadata, Layout.secret].map { "\($0) = coalesce(\(RowColumns.guarded($0)), x'')" }
            return """
                UPDATE \(Layout.table(itemClass)) SET \(Layout.damage) = ?, \(parts.joined(separator: ", "))
                WHERE \(Layout.rowNumber) = ?
                """
        }
        defer { statement.reset() }
        try statement.bind(Int64(damage), at: 0)
        try statement.bind(number, at: 1)
        try readingLargeRows { () throws(SQLiteError) in try changeOneRow(statement) }
    }
}

/// Goes through the rows of a table, one at a time.
final class RowCursor {
    private let itemClass: ItemClass
    private let statement: SQLiteStatement
    private let connection: SQLiteConnection
    private let tables: ItemTables

    fileprivate init(of itemClass: ItemClass, statement: SQLiteStatement, connection: SQLiteConnection) {
        self.itemClass = itemClass
        self.statement = statement
        self.connection = connection
        tables = connection.tables
    }

    /// Steps to the next row; `false` if there is none.
    func next() throws(SQLiteError) -> Bool {
        try connection.readingLargeRows { () throws(SQLiteError) in try statement.step() }
    }

    /// The row; `nil` when a column has a wrong shape.
    var row: NumberedRow? { RowColumns.readExactly(itemClass, tables, from: statement) }

    /// The row; columns of a wrong shape come out as values that do not authenticate.
    var anyRow: NumberedRow { RowColumns.read(itemClass, in: tables, from: statement, extent: .guarded) }
}

/// How much of its rows a SELECT reads.
enum RowExtent: Hashable {
    /// All but the two sealed parts, which come out empty.
    case clear
    /// Everything.
    case all
    /// Columns within the size that a store writes, which takes longer to check; larger columns are NULL.
    case guarded
}

/// A stored row with its number in its table.
package struct NumberedRow: Sendable {
    /// The row number: larger than that of every row that exists at the time of the add.
    package let number: Int64
    /// The row.
    package let row: StoredRow
    /// Why the row is in quarantine; `nil` when it is not.
    package let damage: Int?
    /// Whether a part of the row is larger than any that a store writes; it was not read.
    package var isOversized = false

    /// A row.
    package init(number: Int64, row: StoredRow, damage: Int?, isOversized: Bool = false) {
        self.number = number
        self.row = row
        self.damage = damage
        self.isOversized = isOversized
    }
}

extension StoredRow {
    /// Lends the sealed metadata and the sealed secret.
    func withSealedParts<Result>(
        _ body: (_ metadata: UnsafeRawBufferPointer, _ secret: UnsafeRawBufferPointer) throws(SQLiteError) -> Result
    ) throws(SQLiteError) -> Result {
        try metadata.withUnsafeBufferPointer { (metadata) throws(SQLiteError) in
            try secret.withUnsafeBufferPointer { (secret) throws(SQLiteError) in
                try body(UnsafeRawBufferPointer(metadata), UnsafeRawBufferPointer(secret))
            }
        }
    }
}
