// SPDX-License-Identifier: Apache-2.0

import CSQLite

@testable import KeychainCore

/// A column of INTEGER affinity in a database in memory: the judge of ``NumericAffinity``.
final class SQLiteColumn {
    private var database: OpaquePointer?

    /// What SQLite said instead of a value.
    struct Failure: Error {
        let code: Int32
    }

    init() throws {
        try check(sqlite3_open(":memory:", &database))
        try check(sqlite3_exec(database, "CREATE TABLE one (value INTEGER)", nil, nil, nil))
    }

    deinit { sqlite3_close(database) }

    /// The value as the column holds it.
    func hold(_ text: String) throws -> NumericAffinity {
        try hold { statement in
            // SQLITE_TRANSIENT, a macro that Swift does not import.
            let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
            return sqlite3_bind_text(statement, 1, text, Int32(text.utf8.count), copied)
        }
    }

    /// The value as the column holds it.
    func hold(_ number: KeychainNumber) throws -> NumericAffinity {
        try hold { statement in
            switch number {
            case .integer(let value): sqlite3_bind_int64(statement, 1, value)
            case .unsigned(let value): sqlite3_bind_double(statement, 1, Double(value))
            case .real(let value): sqlite3_bind_double(statement, 1, value)
            }
        }
    }

    /// Whether SQLite finds one value by another.
    func areEqual(_ one: String, _ other: String) throws -> Bool {
        _ = try hold(one)
        let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        return try select("SELECT count(*) FROM one WHERE value = ?") { statement in
            sqlite3_bind_text(statement, 1, other, Int32(other.utf8.count), copied)
        } read: {
            sqlite3_column_int($0, 0) == 1
        }
    }

    private func hold(_ bind: (OpaquePointer?) -> Int32) throws -> NumericAffinity {
        try check(sqlite3_exec(database, "DELETE FROM one", nil, nil, nil))
        var insert: OpaquePointer?
        try check(sqlite3_prepare_v2(database, "INSERT INTO one VALUES (?)", -1, &insert, nil))
        defer { sqlite3_finalize(insert) }
        try check(bind(insert))
        guard sqlite3_step(insert) == SQLITE_DONE else { throw Failure(code: sqlite3_errcode(database)) }
        return try select("SELECT value FROM one") { _ in
            SQLITE_OK
        } read: { statement in
            switch sqlite3_column_type(statement, 0) {
            case SQLITE_INTEGER: .integer(sqlite3_column_int64(statement, 0))
            case SQLITE_FLOAT: .real(sqlite3_column_double(statement, 0))
            default: .text(Self.text(statement))
            }
        }
    }

    private func select<Value>(
        _ sql: String,
        _ bind: (OpaquePointer?) -> Int32,
        read: (OpaquePointer?) -> Value
    ) throws -> Value {
        var statement: OpaquePointer?
        try check(sqlite3_prepare_v2(database, sql, -1, &statement, nil))
        defer { sqlite3_finalize(statement) }
        try check(bind(statement))
        guard sqlite3_step(statement) == SQLITE_ROW else { throw Failure(code: sqlite3_errcode(database)) }
        return read(statement)
    }

    private static func text(_ statement: OpaquePointer?) -> String {
        let start = sqlite3_column_text(statement, 0)
        let count = Int(sqlite3_column_bytes(statement, 0))
        return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    }

    private func check(_ code: Int32) throws {
        guard code == SQLITE_OK else { throw Failure(code: code) }
    }
}
