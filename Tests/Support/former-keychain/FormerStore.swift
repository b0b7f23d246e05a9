// SPDX-License-Identifier: Apache-2.0

import CSQLite
import Foundation

/// A value of a column.
enum FormerValue {
    case null
    case integer(Int64)
    case text(String)
    case blob([UInt8])
}

/// The file of a store, as a program of format 3.0 opens it.
final class FormerStore {
    private var handle: OpaquePointer?
    let keys: FormerKeys

    /// The columns of the table of generic passwords, those of later programs included.
    let columns: [String]

    init(folder: String) throws {
        guard sqlite3_open_v2("\(folder)/keychain.db", &handle, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK else {
            throw FormerError("the store cannot be opened")
        }
        sqlite3_busy_timeout(handle, 10_000)
        let found = handle
        func one(_ sql: String) throws -> FormerValue? { try Self.rows(found, sql).first?.values.first }
        guard case .integer(0x534B_4348)? = try one("PRAGMA application_id") else { throw FormerError("not a store") }
        guard case .integer(let recorded)? = try one("PRAGMA user_version"),
            let rights = FormerLayout.rights(recorded)
        else { throw FormerError("-25291: the store has another format") }
        guard rights.reads else {
            throw FormerError("-25291: the store has format \(FormerLayout.text(recorded)), this program 3.0")
        }
        guard case .blob(let keybag)? = try one("SELECT bytes FROM keybag WHERE id = 1"),
            let rootKey = FileManager.default.contents(atPath: "\(folder)/root.key")
        else { throw FormerError("there is no keybag or no root key") }
        keys = try FormerKeys(keybag: keybag, rootKey: Array(rootKey))
        let names = try Self.rows(found, "SELECT name FROM pragma_table_info('items_genp')")
        columns = names.compactMap { if case .text(let name)? = $0["name"] { name } else { nil } }
        let known = FormerLayout.columns + (FormerLayout.tags["genp"] ?? []).map { "t_\($0)" }
        guard Set(known).isSubset(of: columns) else { throw FormerError("a column is missing") }
    }

    deinit { sqlite3_close_v2(handle) }

    /// The items that can be opened, in the order of their rows, each with its row number.
    func items() throws -> [(number: Int64, item: FormerItem)] {
        try Self.rows(handle, "SELECT * FROM items_genp WHERE damage IS NULL ORDER BY id").compactMap { row in
            guard case .integer(let number)? = row["id"] else { throw FormerError("a row has no number") }
            let item = try FormerItem(row, keys)
            return item.tombstone == 0 ? (number, item) : nil
        }
    }

    /// Runs `body` as one transaction, if the store lets this program change it.
    func change(_ body: () throws -> Void) throws {
        _ = try Self.rows(handle, "BEGIN IMMEDIATE")
        do {
            guard case .integer(let recorded)? = try Self.rows(handle, "PRAGMA user_version").first?.values.first,
                FormerLayout.rights(recorded)?.changes ?? false
            else { throw FormerError("-25291: the store can only be read by this program, which has format 3.0") }
            try body()
            _ = try Self.rows(handle, "COMMIT")
        } catch {
            _ = try? Self.rows(handle, "ROLLBACK")
            throw error
        }
    }

    func insert(_ item: FormerItem) throws {
        let row = try item.row(keys, columns: columns)
        let names = row.keys.sorted()
        let places = names.map { _ in "?" }.joined(separator: ", ")
        _ = try Self.rows(
            handle,
            "INSERT INTO items_genp (\(names.joined(separator: ", "))) VALUES (\(places))",
            binding: names.map { row[$0] ?? .null }
        )
    }

    func update(_ number: Int64, _ item: FormerItem) throws {
        let row = try item.row(keys, columns: columns)
        let names = row.keys.sorted()
        let assignments = names.map { "\($0) = ?" }.joined(separator: ", ")
        _ = try Self.rows(
            handle,
            "UPDATE items_genp SET \(assignments) WHERE id = \(number)",
            binding: names.map { row[$0] ?? .null }
        )
    }

    func delete(_ number: Int64) throws { _ = try Self.rows(handle, "DELETE FROM items_genp WHERE id = \(number)") }

    // MARK: - SQLite

    private static func rows(
        _ handle: OpaquePointer?,
        _ sql: String,
        binding values: [FormerValue] = []
    ) throws -> [[String: FormerValue]] {
        var statement: OpaquePointer?
        guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK else {
            throw FormerError(String(cString: sqlite3_errmsg(handle)))
        }
        defer { sqlite3_finalize(statement) }
        for (index, value) in values.enumerated() {
            let place = Int32(index + 1)
            switch value {
            case .null: sqlite3_bind_null(statement, place)
            case .integer(let number): sqlite3_bind_int64(statement, place, number)
            case .text(let text): sqlite3_bind_text(statement, place, text, -1, transient)
            case .blob(let bytes): sqlite3_bind_blob(statement, place, bytes, Int32(bytes.count), transient)
            }
        }
        var rows: [[String: FormerValue]] = []
        while true {
            switch sqlite3_step(statement) {
            case SQLITE_ROW: rows.append(row(statement))
            case SQLITE_DONE: return rows
            default: throw FormerError(String(cString: sqlite3_errmsg(handle)))
            }
        }
    }

    private static let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

    private static func row(_ statement: OpaquePointer?) -> [String: FormerValue] {
        var row: [String: FormerValue] = [:]
        for column in 0..<sqlite3_column_count(statement) {
            let name = String(cString: sqlite3_column_name(statement, column))
            switch sqlite3_column_type(statement, column) {
            case SQLITE_INTEGER: row[name] = .integer(sqlite3_column_int64(statement, column))
            case SQLITE_TEXT: row[name] = .text(String(cString: sqlite3_column_text(statement, column)))
            case SQLITE_BLOB:
                let count = Int(sqlite3_column_bytes(statement, column))
                let start = sqlite3_column_blob(statement, column)
                row[name] = .blob(Array(UnsafeRawBufferPointer(start: start, count: count)))
            default: row[name] = .null
            }
        }
        return row
    }
}
