// SPDX-License-Identifier: Apache-2.0

import CSQLite

/// A connection with the settings of the keychain's own, and as little as possible on top of SQLite.
final class Database {
    let handle: OpaquePointer

    /// Opens a file that exists.
    init(_ path: String) throws {
        var handle: OpaquePointer?
        let status = sqlite3_open_v2(path, &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nil)
        guard status == SQLITE_OK, let handle else { throw Failure("SQLite cannot open \(path): \(status)") }
        self.handle = handle
        sqlite3_busy_timeout(handle, 10_000)
        try execute(
            """
            PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA secure_delete = ON;
            PRAGMA temp_store = MEMORY; PRAGMA mmap_size = 0; PRAGMA cell_size_check = ON
            """
        )
    }

    deinit { sqlite3_close_v2(handle) }

    func execute(_ sql: String) throws {
        guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else { throw failure(sql) }
    }

    func prepare(_ sql: String) throws -> RawStatement {
        var statement: OpaquePointer?
        let status = sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
        guard status == SQLITE_OK, let statement else { throw failure(sql) }
        return RawStatement(handle: statement)
    }

    func integer(_ sql: String) throws -> Int {
        let statement = try prepare(sql)
        guard try statement.step() else { throw Failure("no row from \(sql)") }
        return statement.integer(0)
    }

    private func failure(_ sql: String) -> Failure {
        Failure("SQLite: \(String(cString: sqlite3_errmsg(handle))) in \(sql.prefix(60))")
    }
}

/// A prepared statement, whose columns are counted from 0 and parameters from 1.
final class RawStatement {
    private let handle: OpaquePointer

    init(handle: OpaquePointer) { self.handle = handle }

    deinit { sqlite3_finalize(handle) }

    func step() throws -> Bool {
        let status = sqlite3_step(handle)
        guard status == SQLITE_ROW || status == SQLITE_DONE else { throw Failure("SQLite: step gives \(status)") }
        return status == SQLITE_ROW
    }

    /// Runs a statement that gives no rows.
    func run() throws {
        defer { reset() }
        _ = try step()
    }

    func reset() { sqlite3_reset(handle) }

    /// Binds bytes, which SQLite copies.
    func bind(_ bytes: [UInt8], at index: Int) {
        // SQLITE_TRANSIENT is a cast, which Swift does not import.
        let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        bytes.withUnsafeBytes {
            _ = sqlite3_bind_blob(handle, Int32(index), $0.baseAddress, Int32($0.count), copied)
        }
    }

    func bind(_ value: Int, at index: Int) { sqlite3_bind_int64(handle, Int32(index), Int64(value)) }

    func integer(_ column: Int) -> Int { Int(sqlite3_column_int64(handle, Int32(column))) }

    func text(_ column: Int) -> String {
        sqlite3_column_text(handle, Int32(column)).map { String(cString: $0) } ?? ""
    }

    /// The bytes of a column, good until the next step or reset.
    func blob(_ column: Int) -> UnsafeRawBufferPointer {
        let base = sqlite3_column_blob(handle, Int32(column))
        return UnsafeRawBufferPointer(start: base, count: Int(sqlite3_column_bytes(handle, Int32(column))))
    }
}
