// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// The table of the feature ``StoreFeature/history`` (Documentation/Format.md, "Former values").
enum HistoryLayout {
    static let name = "history"

    /// It has one row, or none where nobody has set a number for all items.
    static let table = DeclaredObject(
        .table,
        name,
        as: "(id INTEGER PRIMARY KEY CHECK (id = 1), keep INTEGER NOT NULL)"
    )
}

/// The number of former values that are kept of items without a number of their own.
extension SQLiteConnection {
    /// Whether the store keeps former values.
    func keepsFormerValues() throws(SQLiteError) -> Bool {
        // What is known is of the change under way: a later feature may take the store to the same version.
        if isInTransaction, let known = keepsHistory { return known }
        let found = try uses(.history)
        keepsHistory = found
        return found
    }

    /// The number; `nil` if there is none, or nobody can tell.
    func historyNumber() throws(SQLiteError) -> Int? {
        guard try keepsFormerValues() else { return nil }
        let select = try statement(StatementKey(.historyNumber, of: .genericPassword)) {
            "SELECT keep FROM \(HistoryLayout.name) WHERE id = 1"
        }
        defer { select.reset() }
        guard try select.step(), select.type(0) == .integer,
            let number = Int(exactly: select.integer(0)), (0...ItemHistory.maximumCount).contains(number)
        else { return nil }
        return number
    }

    func setHistoryNumber(_ number: Int) throws(SQLiteError) {
        let replace = try prepare("INSERT OR REPLACE INTO \(HistoryLayout.name) VALUES (1, ?)")
        defer { replace.reset() }
        try replace.bind(Int64(number), at: 0)
        try changeOneRow(replace)
    }
}

extension RowReader {
    /// Whether the store keeps former values of items.
    package func keepsFormerValues() throws(KeychainError) -> Bool {
        try sql { () throws(SQLiteError) in try connection.keepsFormerValues() }
    }

    /// The number of former values that are kept of items without one of their own; `nil` if none was set, or what is
    /// there is no number.
    package func historyNumber() throws(KeychainError) -> Int? {
        try sql { () throws(SQLiteError) in try connection.historyNumber() }
    }
}

extension RowWriter {
    /// Sets the number of former values that are kept of items without one of their own; begins the use of the feature.
    package func setHistoryNumber(_ number: Int) throws(KeychainError) {
        try adopt(.history)
        try sql { () throws(SQLiteError) in try connection.setHistoryNumber(number) }
    }
}
