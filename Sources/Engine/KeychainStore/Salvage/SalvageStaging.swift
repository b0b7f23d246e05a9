// SPDX-License-Identifier: Apache-2.0

import CSQLite
import KeychainCore

/// Gives raw values of a row the shape that a store reads, by a database in memory with the columns of a store.
final class SalvageStaging {
    private let connection: SQLiteConnection
    private var inserts: [ItemClass: SQLiteStatement] = [:]
    private var selects: [ItemClass: SQLiteStatement] = [:]

    init() throws(SQLiteError) {
        connection = try MemoryImage.connection()
        try connection.execute("DELETE FROM \(Layout.device)")
    }

    /// The class whose table has so many columns; no two classes have as many.
    static func itemClass(columns count: Int) -> ItemClass? { classes[count] }

    private static let classes = Dictionary(
        uniqueKeysWithValues: ItemClass.stored.map { (columns(of: $0).count, $0) }
    )

    /// The columns of the table of a class, in the order in which a file declares them.
    private static func columns(of itemClass: ItemClass) -> [String] {
        [
            Layout.rowNumber, Layout.identifier, Layout.protection, Layout.tombstone, Layout.keyGeneration,
            Layout.version16, Layout.primaryKey, Layout.damage, Layout.former,
        ] + ItemSchema.of(itemClass).searchableNames.map(Layout.column) + [Layout.metadata, Layout.secret]
    }

    static let deviceColumnCount = 10

    /// The row of some values, whose number lies outside of its record.
    func row(
        _ itemClass: ItemClass,
        number: Int64,
        values: [Record.Value]
    ) throws(SQLiteError) -> (row: NumberedRow, isWellFormed: Bool) {
        let table = Layout.table(itemClass)
        let insert = try statement(&inserts, for: itemClass) {
            let columns = Self.columns(of: itemClass)
            return """
                INSERT INTO \(table) (\(columns.joined(separator: ", ")))
                VALUES (\(Layout.placeholders(columns.count)))
                """
        }
        let select = try statement(&selects, for: itemClass) {
            "SELECT \(RowColumns.list(of: itemClass, in: .current, extent: .guarded)) FROM \(table)"
        }
        try connection.readingLargeRows { () throws(SQLiteError) in
            defer { insert.reset() }
            try insert.bind(number, at: 0)
            for (index, value) in values.enumerated().dropFirst() { try insert.bind(value, at: index) }
            _ = try insert.step()
        }
        defer { try? connection.execute("DELETE FROM \(table)") }
        return try connection.readingLargeRows { () throws(SQLiteError) in
            defer { select.reset() }
            _ = try select.step()
            if let row = RowColumns.readExactly(itemClass, .current, from: select) { return (row, true) }
            return (RowColumns.read(itemClass, in: .current, from: select, extent: .guarded), false)
        }
    }

    /// The record of the device of some values; `nil` if a column has a wrong shape.
    func deviceRecord(_ values: [Record.Value]) throws(SQLiteError) -> DeviceRecord? {
        let insert = try connection.prepare(
            "INSERT INTO \(Layout.device) VALUES (\(Layout.placeholders(Self.deviceColumnCount)))"
        )
        do throws(SQLiteError) {
            defer { insert.reset() }
            try insert.bind(1, at: 0)
            for (index, value) in values.enumerated().dropFirst() { try insert.bind(value, at: index) }
            _ = try insert.step()
        } catch {
            // NULL where there must be a value.
            guard error.status == .duplicateItem else { throw error }
            return nil
        }
        defer { try? connection.execute("DELETE FROM \(Layout.device)") }
        connection.knownDevice = nil
        return try? connection.deviceRecord()
    }

    private func statement(
        _ statements: inout [ItemClass: SQLiteStatement],
        for itemClass: ItemClass,
        _ sql: () -> String
    ) throws(SQLiteError) -> SQLiteStatement {
        if let statement = statements[itemClass] { return statement }
        let statement = try connection.prepare(sql())
        statements[itemClass] = statement
        return statement
    }
}

extension SQLiteStatement {
    fileprivate func bind(_ value: Record.Value, at index: Int) throws(SQLiteError) {
        switch value {
        case .null: return
        case .integer(let number): try bind(number, at: index)
        case .real(let number): try bind(real: number, at: index)
        case .text(let bytes): try bind(String(decoding: bytes, as: UTF8.self), at: index)
        case .blob(let bytes): try bind(Array(bytes), at: index)
        }
    }
}
