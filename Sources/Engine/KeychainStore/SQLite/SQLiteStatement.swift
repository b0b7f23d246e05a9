// SPDX-License-Identifier: Apache-2.0

import CSQLite
import KeychainCore

/// A prepared statement.
///
/// Parameters and columns are counted from 0.
final class SQLiteStatement {
    private let handle: OpaquePointer

    init(_ handle: OpaquePointer) { self.handle = handle }

    deinit { sqlite3_finalize(handle) }

    /// Steps to the next row; `false` if there is none.
    func step() throws(SQLiteError) -> Bool {
        switch sqlite3_step(handle) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        case let status: throw SQLiteError(code: status, operation: "stepping a statement")
        }
    }

    /// Makes the statement ready for its next use and forgets what was bound.
    func reset() {
        sqlite3_reset(handle)
        sqlite3_clear_bindings(handle)
    }

    // SQLITE_TRANSIENT: SQLite copies the bytes. The macro is a cast, which Swift does not import.
    private static let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

    func bind(_ value: Int64, at index: Int) throws(SQLiteError) {
        try check(sqlite3_bind_int64(handle, Int32(index + 1), value))
    }

    func bind(real value: Double, at index: Int) throws(SQLiteError) {
        try check(sqlite3_bind_double(handle, Int32(index + 1), value))
    }

    func bind(_ text: String, at index: Int) throws(SQLiteError) {
        try check(sqlite3_bind_text(handle, Int32(index + 1), text, -1, Self.copied))
    }

    func bind(_ tag: Bytes16, at index: Int) throws(SQLiteError) {
        let status = tag.withUnsafeBytes {
            sqlite3_bind_blob(handle, Int32(index + 1), $0.baseAddress, Int32($0.count), Self.copied)
        }
        try check(status)
    }

    func bind(_ bytes: [UInt8], at index: Int) throws(SQLiteError) {
        let status = bytes.withUnsafeBytes { buffer in
            buffer.isEmpty
                ? sqlite3_bind_zeroblob(handle, Int32(index + 1), 0)
                : sqlite3_bind_blob64(
                    handle,
                    Int32(index + 1),
                    buffer.baseAddress,
                    UInt64(buffer.count),
                    Self.copied
                )
        }
        try check(status)
    }

    /// Binds bytes in place: they must stay there until ``reset()``.
    func bind(borrowing bytes: UnsafeRawBufferPointer, at index: Int) throws(SQLiteError) {
        guard let base = bytes.baseAddress, !bytes.isEmpty else {
            return try check(sqlite3_bind_zeroblob(handle, Int32(index + 1), 0))
        }
        // Without a destructor: SQLITE_STATIC.
        try check(sqlite3_bind_blob64(handle, Int32(index + 1), base, UInt64(bytes.count), nil))
    }

    /// Binds a tag or another value of sixteen bytes in its place.
    func bind(borrowing tag: Slice<UnsafeBufferPointer<Bytes16>>, at index: Int) throws(SQLiteError) {
        try bind(borrowing: UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: tag)), at: index)
    }

    /// The content of a column, regardless of its declaration.
    func type(_ column: Int) -> ColumnType {
        switch sqlite3_column_type(handle, Int32(column)) {
        case SQLITE_INTEGER: .integer
        case SQLITE_FLOAT: .real
        case SQLITE_TEXT: .text
        case SQLITE_BLOB: .blob
        default: .null
        }
    }

    func integer(_ column: Int) -> Int64 { sqlite3_column_int64(handle, Int32(column)) }

    func real(_ column: Int) -> Double { sqlite3_column_double(handle, Int32(column)) }

    func isNull(_ column: Int) -> Bool { type(column) == .null }

    func text(_ column: Int) -> String {
        guard let text = sqlite3_column_text(handle, Int32(column)) else { return "" }
        let count = Int(sqlite3_column_bytes(handle, Int32(column)))
        return String(decoding: UnsafeBufferPointer(start: text, count: count), as: UTF8.self)
    }

    func bytes(_ column: Int) -> [UInt8] { Array(blob(column)) }

    /// Sixteen bytes; `nil` if the column contains anything else.
    func bytes16(_ column: Int) -> Bytes16? {
        let bytes = blob(column)
        return bytes.count == Bytes16.count ? Bytes16(bytes) : nil
    }

    /// The bytes of a column in their place, good until the next step or reset.
    private func blob(_ column: Int) -> UnsafeRawBufferPointer {
        let base = sqlite3_column_blob(handle, Int32(column))
        return UnsafeRawBufferPointer(start: base, count: Int(sqlite3_column_bytes(handle, Int32(column))))
    }

    private func check(_ status: Int32) throws(SQLiteError) {
        guard status == SQLITE_OK else { throw SQLiteError(code: status, operation: "binding a parameter") }
    }
}

/// The possible contents of a column.
enum ColumnType {
    case null, integer, real, text, blob
}

/// A statement that is always the same, by what it is for.
enum FixedStatement: Int, CaseIterable {
    case beginImmediate, commit, rollback, savepoint, release, rollbackToSavepoint
    case version, declarations, pageCount, keybag, setKeybag, device, setDevice
}

/// The key of a prepared statement on item rows, which identifies it without building its text.
struct StatementKey: Hashable {
    let kind: Kind
    let itemClass: ItemClass
    let filter: RowFilter.Shape?

    enum Kind: Hashable {
        case select(limited: Bool, quarantine: Quarantine, RowExtent)
        case count
        case groups, indexedGroups
        case insert
        case insertNumbered
        case copyFormer
        case update(_ changes: ChangedColumns)
        case delete
        case deleteAll
        case mark
        case markLarge
        case listLookup, listLookupTag, unlistLookup, unlistLookupTags
        case lookupItems, lookupProbe, lookupCount, lookupWhole, lookupFace, lookupTags
        case historyNumber
    }

    init(_ kind: Kind, of itemClass: ItemClass, filter: RowFilter.Shape? = nil) {
        self.kind = kind
        self.itemClass = itemClass
        self.filter = filter
    }
}
