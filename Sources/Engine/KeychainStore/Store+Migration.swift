// SPDX-License-Identifier: Apache-2.0

import CSQLite
import KeychainCore

/// Migrates a store of the previous format: to new tables, with the existing rows, resealed or unchanged
/// (Documentation/Format.md, "From format 2").
///
/// All in one transaction, so that a crash in between leaves the store unchanged.
extension Store {
    /// Whether the store has the tables of the format before, and so can only be read.
    package var hasFormerTables: Bool { fileVersion.recorded == Int64(FileFormat.formerVersion) }

    /// Creates the tables of this format.
    ///
    /// - Parameter migrate: returns the new row for a row of the old tables; for a row in quarantine, only its value
    ///   for the column of the previous format is used, because its bytes stay.
    /// - Throws: ``KeychainError`` of the store, or the errors of `migrate`. The store is unchanged in that case.
    package func migrate(
        _ migrate: (NumberedRow) throws(KeychainError) -> StoredRow
    ) throws(KeychainError) {
        try sql { () throws(SQLiteError) in try connection.begin() }
        // The store gets the base version, whatever number of rows it has.
        connection.indexesGroups = false
        defer { connection.indexesGroups = true }
        // The tables of a class exist twice for a moment.
        if options.maximumPageCount != nil { try raiseLimit() }
        defer { try? connection.limit(options) }
        do throws(KeychainError) {
            try refuseSeveralNames()
            try checkFormer()
            for itemClass in ItemClass.stored { try connection.migrate(itemClass, migrate) }
            try sql { () throws(SQLiteError) in
                // Deleted rows and old tags are in the log.
                try connection.execute("UPDATE \(Layout.device) SET owes_log_erasure = 1")
                try connection.execute("PRAGMA user_version = \(FileVersion.base.recorded)")
            }
            let declared = try sql { () throws(SQLiteError) in try connection.declarationsNumber() }
            try commit()
            declarationsNumber = declared
        } catch {
            connection.forgetStatements()
            rollBack()
            throw error
        }
        connection.forgetStatements()
        connection.knownDevice = nil
        connection.checkedState = nil
        connection.tables = .current
        fileVersion = .base
    }

    private func raiseLimit() throws(KeychainError) {
        try sql { () throws(SQLiteError) in
            let count = try connection.integer("PRAGMA page_count")
            try connection.execute("PRAGMA max_page_count = \(3 * count + 64)")
        }
    }

    /// Another process may have migrated before this one got the lock.
    private func checkFormer() throws(KeychainError) {
        let recorded = try sql { () throws(SQLiteError) in try connection.integer("PRAGMA user_version") }
        guard recorded == fileVersion.recorded else { throw KeychainError(StoreError.changedVersion) }
    }
}

extension RowReader {
    /// The first live rows that are still sealed in the previous format, of protection classes with available keys.
    ///
    /// - Parameters:
    ///   - itemClass: the class.
    ///   - protections: the protection classes.
    ///   - number: the row after which to start.
    ///   - limit: the maximum number of rows.
    /// - Returns: The rows.
    /// - Throws: ``KeychainError`` of the store.
    package func formerRows(
        _ itemClass: ItemClass,
        _ protections: [String],
        after number: Int64,
        limit: Int
    ) throws(KeychainError) -> [NumberedRow] {
        do throws(SQLiteError) {
            return try connection.formerRows(of: itemClass, protections: protections, after: number, limit: limit)
        } catch {
            throw KeychainError(error)
        }
    }

    /// Whether any row is still as the format before sealed it.
    package func hasFormerRows() throws(KeychainError) -> Bool {
        guard Layout.hasFormer(connection.tables.version) else { return false }
        let parts = ItemClass.stored.map {
            "EXISTS (SELECT 1 FROM \(Layout.table($0)) WHERE \(Layout.former) IS NOT NULL)"
        }
        do throws(SQLiteError) {
            return try connection.integer("SELECT \(parts.joined(separator: " OR "))") != 0
        } catch {
            throw KeychainError(error)
        }
    }
}

extension SQLiteConnection {
    private static let formerTable = "former_items"

    /// Moves the rows of a class into a table of this format.
    fileprivate func migrate(
        _ itemClass: ItemClass,
        _ migrate: (NumberedRow) throws(KeychainError) -> StoredRow
    ) throws(KeychainError) {
        try sql { () throws(SQLiteError) in
            // Other objects that were added to the schema are ignored.
            try execute("PRAGMA legacy_alter_table = ON")
            defer { try? execute("PRAGMA legacy_alter_table = OFF") }
            try execute("ALTER TABLE \(Layout.table(itemClass)) RENAME TO \(Self.formerTable)")
            for name in try indexes(of: Self.formerTable) { try execute("DROP INDEX \(Self.quoted(name))") }
            let table = isInMemory ? Layout.itemTableInMemory(itemClass) : Layout.itemTable(itemClass)
            for statement in table { try execute(statement) }
        }
        try moveRows(itemClass, migrate)
        try sql { () throws(SQLiteError) in
            try readingLargeRows { () throws(SQLiteError) in try execute("DROP TABLE \(Self.formerTable)") }
            if !isInMemory { for statement in Layout.laterIndexes(itemClass) { try execute(statement) } }
        }
    }

    private func moveRows(
        _ itemClass: ItemClass,
        _ migrate: (NumberedRow) throws(KeychainError) -> StoredRow
    ) throws(KeychainError) {
        let rows = try sql { () throws(SQLiteError) in try everyRow(itemClass, of: Self.formerTable) }
        while try sql({ () throws(SQLiteError) in try rows.next() }) {
            let row = rows.anyRow
            let migrated = row.isOversized ? nil : try migrate(row)
            if let migrated, migrated.former == nil, row.damage == nil {
                try insertUnlessTaken(row.number) { (damage) throws(SQLiteError) in
                    try insert(NumberedRow(number: row.number, row: migrated, damage: damage))
                }
            } else {
                try insertUnlessTaken(row.number) { (damage) throws(SQLiteError) in
                    try copy(itemClass, row.number, former: migrated?.former ?? [], damage: damage ?? row.damage)
                }
            }
        }
    }

    /// Adds a row; one whose primary key another one has, in spite of the index, is set aside.
    private func insertUnlessTaken(
        _ number: Int64,
        _ insert: (_ damage: Int?) throws(SQLiteError) -> Void
    ) throws(KeychainError) {
        try sql { () throws(SQLiteError) in
            do throws(SQLiteError) {
                try insert(nil)
            } catch {
                guard error.isUniqueViolation else { throw error }
                try insert(Self.contradiction)
            }
        }
    }

    /// A tag or a clear column contradicts the attributes (Documentation/Format.md, "Tables").
    private static let contradiction = 4

    /// Copies a row as it is, regardless of the contents of its columns.
    private func copy(
        _ itemClass: ItemClass,
        _ number: Int64,
        former: [UInt8],
        damage: Int?
    ) throws(SQLiteError) {
        let columns = RowColumns.lasting(itemClass)
        let statement = try statement(StatementKey(.copyFormer, of: itemClass)) {
            let copied = columns.map { $0 == Layout.damage ? "coalesce(?, \($0))" : $0 }
            return """
                INSERT INTO \(Layout.table(itemClass)) (\(columns.joined(separator: ", ")), \(Layout.former))
                SELECT \(copied.joined(separator: ", ")), ? FROM \(Self.formerTable) WHERE \(Layout.rowNumber) = ?
                """
        }
        defer { statement.reset() }
        if let damage { try statement.bind(Int64(damage), at: 0) }
        try statement.bind(former, at: 1)
        try statement.bind(number, at: 2)
        try readingLargeRows { () throws(SQLiteError) in try changeOneRow(statement) }
    }

    fileprivate func formerRows(
        of itemClass: ItemClass,
        protections: [String],
        after number: Int64,
        limit: Int
    ) throws(SQLiteError) -> [NumberedRow] {
        let statement = try prepare(
            """
            SELECT \(RowColumns.list(of: itemClass, in: tables, extent: .guarded)) FROM \(Layout.table(itemClass))
            WHERE \(Layout.former) IS NOT NULL AND \(Layout.damage) IS NULL AND \(Layout.rowNumber) > ?
                AND \(Layout.protection) IN (\(Layout.placeholders(protections.count)))
            ORDER BY \(Layout.rowNumber) LIMIT ?
            """
        )
        defer { statement.reset() }
        try statement.bind(number, at: 0)
        for (index, protection) in protections.enumerated() { try statement.bind(protection, at: 1 + index) }
        try statement.bind(Int64(limit), at: 1 + protections.count)
        return try readingLargeRows { () throws(SQLiteError) in
            var rows: [NumberedRow] = []
            while try statement.step() {
                rows.append(RowColumns.read(itemClass, in: tables, from: statement, extent: .guarded))
            }
            return rows
        }
    }

    private func indexes(of table: String) throws(SQLiteError) -> [String] {
        let statement = try prepare(
            "SELECT name FROM sqlite_schema WHERE type = 'index' AND tbl_name = ? AND sql IS NOT NULL"
        )
        defer { statement.reset() }
        try statement.bind(table, at: 0)
        var names: [String] = []
        while try statement.step() { names.append(statement.text(0)) }
        return names
    }

    private static func quoted(_ name: String) -> String {
        "\"" + name.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
    }
}
