// SPDX-License-Identifier: Apache-2.0

import CSQLite

/// The file of a store, opened with plain SQLite behind the keychain's back: for damage, locks and inspection.
package final class RawStore {
    private let database: OpaquePointer

    /// What SQLite answered instead.
    package struct Failure: Error {
        /// The result code.
        package let code: Int32
        /// SQLite's sentence.
        package let message: String
    }

    /// Opens a file that exists.
    package init(path: String, busyTimeoutMilliseconds: Int32 = 5_000) throws {
        var handle: OpaquePointer?
        let code = sqlite3_open_v2(path, &handle, SQLITE_OPEN_READWRITE, nil)
        guard code == SQLITE_OK, let handle else {
            sqlite3_close_v2(handle)
            throw Failure(code: code, message: "opening \(path)")
        }
        database = handle
        sqlite3_busy_timeout(handle, busyTimeoutMilliseconds)
    }

    deinit { sqlite3_close_v2(database) }

    /// Runs statements whose rows do not matter.
    package func execute(_ sql: String) throws {
        try check(sqlite3_exec(database, sql, nil, nil, nil))
    }

    /// Runs one statement with parameters, and gives the values of all its rows, one after the other.
    ///
    /// - Returns: The bytes of blobs and texts, numbers as decimal text; `nil` for NULL.
    @discardableResult
    package func run(_ sql: String, _ parameters: [[UInt8]?] = []) throws -> [[UInt8]?] {
        var statement: OpaquePointer?
        try check(sqlite3_prepare_v2(database, sql, -1, &statement, nil))
        defer { sqlite3_finalize(statement) }
        for (offset, parameter) in parameters.enumerated() {
            let index = Int32(offset + 1)
            guard let parameter else {
                try check(sqlite3_bind_null(statement, index))
                continue
            }
            // SQLITE_TRANSIENT, a macro that Swift does not import.
            let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
            try check(sqlite3_bind_blob(statement, index, parameter, Int32(parameter.count), copied))
        }
        var values: [[UInt8]?] = []
        while true {
            let code = sqlite3_step(statement)
            if code == SQLITE_DONE { return values }
            guard code == SQLITE_ROW else { throw failure(code) }
            for column in 0..<sqlite3_column_count(statement) { values.append(Self.value(statement, column)) }
        }
    }

    /// The one number that a statement gives.
    package func integer(_ sql: String) throws -> Int {
        let text = try run(sql).first.flatMap(\.self) ?? []
        return Int(String(decoding: text, as: UTF8.self)) ?? 0
    }

    /// Writes the log back into the file and empties it.
    package func checkpoint() throws {
        try execute("PRAGMA wal_checkpoint(TRUNCATE)")
    }

    private static func value(_ statement: OpaquePointer?, _ column: Int32) -> [UInt8]? {
        guard sqlite3_column_type(statement, column) != SQLITE_NULL else { return nil }
        guard let start = sqlite3_column_blob(statement, column) else { return [] }
        return Array(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, column))))
    }

    private func check(_ code: Int32) throws {
        guard code == SQLITE_OK else { throw failure(code) }
    }

    private func failure(_ code: Int32) -> Failure {
        Failure(code: code, message: String(cString: sqlite3_errmsg(database)))
    }
}
