// SPDX-License-Identifier: Apache-2.0

import CSQLite
import KeychainCore

/// A connection to one database file, with cached prepared statements.
///
/// Not thread-safe: the store that owns it admits one thread at a time.
final class SQLiteConnection {
    /// Whether the database is in memory, where a class has no search indexes until it has many rows.
    private(set) var isInMemory = false

    /// Whether a class in memory has got indexes for searches.
    var hasSearchIndexes = false

    /// The maximum size of a row, in bytes, outside and inside ``readingLargeRows(_:)``.
    private var rowLimits: (usual: Int32, largest: Int32) = (.max, .max)

    /// Counts the bytes of each row that a search reads, and returns whether it may be read; `nil` for no limit.
    var reserveMemory: (@Sendable (_ byteCount: Int) -> Bool)?

    /// The columns of its item tables.
    var tables = ItemTables.current

    private let handle: OpaquePointer
    private var isClosed = false
    private var statements: [StatementKey: SQLiteStatement] = [:]
    private var fixedStatements = [SQLiteStatement?](repeating: nil, count: FixedStatement.allCases.count)

    /// The record of the device, and in which state of the database it was read; `nil` when it has to be read again.
    var knownDevice: (record: DeviceRecord, state: UInt32)?

    /// In which state of the database its version was looked at last, by a transaction that changes it.
    var checkedState: UInt32?

    /// The access groups that were read last.
    var readGroups: ReadGroups?

    /// Whether the transaction under way has changed the record of the device, and may yet be undone.
    var hasChangedDevice = false

    /// Whether the transaction under way has begun or ended the use of a feature, and may yet be undone.
    var hasChangedVersion = false

    /// Whether a class that gets many rows gets an index of access groups: in the file of a store that is in use.
    var indexesGroups = false

    /// Whether the transaction under way has given a class so many rows.
    var hasManyRows = false

    /// Whether the store has lists of lookup attributes; `nil` when that has to be found out.
    var hasLookupLists: Bool?

    /// Whether the store keeps former values; `nil` when that has to be found out.
    var keepsHistory: Bool?

    /// Whether the transaction under way has taken something off these lists, which may be empty now.
    var hasUnlistedLookups = false

    /// What the transaction under way did to rows; `nil` while nobody observes them.
    var rowChanges: RowChanges?

    private static let keptStatements = 256

    /// Opens an existing file, or a database in memory.
    ///
    /// It does not wait for other connections: callers wait where they block no other thread.
    convenience init(path: String?) throws(SQLiteError) {
        let isInMemory = path == nil
        try self.init(
            name: path ?? ":memory:",
            flags: isInMemory ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY : SQLITE_OPEN_READWRITE,
            settings: Self.memorySettings + (isInMemory ? [] : Self.fileSettings)
        )
        self.isInMemory = isInMemory
        if !isInMemory { try readSchema() }
        // An editor of the file could have a keybag of a gigabyte read otherwise.
        limitRows(to: Self.longestRow, .max)
    }

    /// The settings that apply to a database in memory as well.
    private static let memorySettings = ["secure_delete = ON", "temp_store = MEMORY"]

    /// The settings that apply to files only.
    private static let fileSettings = ["synchronous = FULL", "mmap_size = 0", "cell_size_check = ON"]

    /// Larger than every row that is written: each part of a row has its limit, and its tag, nonce and header.
    static let longestRow = Int32(2 * ItemLimits.partByteCount + (1 << 20))

    /// Opens a store on which no process can write, to read it as it is: without a log, without locks.
    convenience init(asItLies path: String) throws(SQLiteError) {
        try self.init(unchanging: path)
        limitRows(to: Self.longestRow, .max)
    }

    /// Opens an existing file that may be damaged, to read it with its log; its schema is not read yet.
    convenience init(reading path: String) throws(SQLiteError) {
        try self.init(
            name: path,
            flags: SQLITE_OPEN_READONLY,
            settings: Self.memorySettings + ["mmap_size = 0", "cell_size_check = ON"]
        )
        limitRows(to: Self.longestRow, .max)
    }

    /// Opens a file of unknown origin, to read it as it is: without its log or journal, without locks, and without rows
    /// longer than `rowLimit` bytes.
    convenience init(foreign path: String, rowLimit: Int32) throws(SQLiteError) {
        try SchemaTree.check(FileBytes(database: path))
        try self.init(unchanging: path)
        limitRows(to: rowLimit, rowLimit)
    }

    /// Makes a database in memory that becomes a file: it has the tables of one, and no indexes besides.
    convenience init(fileInMemory: Void) throws(SQLiteError) {
        try self.init(
            name: ":memory:",
            flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY,
            settings: Self.memorySettings
        )
        limitRows(to: Self.longestRow, .max)
    }

    /// Opens the bytes of a file of unknown origin, as ``init(foreign:rowLimit:)`` opens the file.
    convenience init(foreignImage image: [UInt8], rowLimit: Int32) throws(SQLiteError) {
        guard !image.isEmpty else { throw SQLiteError(code: SQLITE_NOTADB, operation: "loading the bytes of a file") }
        try SchemaTree.check(FileBytes(image))
        try self.init(fileInMemory: ())
        try load(image)
        try readSchema()
        for setting in ["cell_size_check = ON", "query_only = ON"] { try execute("PRAGMA \(setting)") }
        limitRows(to: rowLimit, rowLimit)
    }

    /// Opens an existing file for the holder of the lock for all hosts.
    ///
    /// No other process has it open, so that the index of the log is in the memory of this process
    /// (sqlite.org/wal.html, "Use of WAL Without Shared-Memory").
    convenience init(underHostLock path: String) throws(SQLiteError) {
        try self.init(
            name: Self.address(of: path, "\(StoreFileSystem.hostLockParameter)=1"),
            flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_URI,
            // Before anything is read.
            settings: ["locking_mode = EXCLUSIVE"] + Self.memorySettings + Self.fileSettings
        )
        try readSchema()
        limitRows(to: Self.longestRow, .max)
    }

    private convenience init(unchanging path: String) throws(SQLiteError) {
        try self.init(
            name: Self.address(of: path, "immutable=1"),
            flags: SQLITE_OPEN_READONLY | SQLITE_OPEN_URI,
            settings: Self.memorySettings + Self.fileSettings
        )
        try readSchema()
    }

    /// A path with a parameter, in SQLite's form (sqlite.org/uri.html).
    private static func address(of path: String, _ parameter: String) -> String {
        let special: Set<UInt8> = [UInt8(ascii: "%"), UInt8(ascii: "?"), UInt8(ascii: "#")]
        let escaped = path.utf8.flatMap { byte -> [UInt8] in
            special.contains(byte) ? Array("%\(String(byte, radix: 16))".utf8) : [byte]
        }
        return "file:\(String(decoding: escaped, as: UTF8.self))?\(parameter)"
    }

    private init(name: String, flags: Int32, settings: [String]) throws(SQLiteError) {
        var handle: OpaquePointer?
        let flags = flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_NOFOLLOW | SQLITE_OPEN_EXRESCODE
        let status =
            flags & SQLITE_OPEN_MEMORY != 0
            ? sqlite3_open_v2(name, &handle, flags, nil) : StoreFileSystem.open(name, into: &handle, flags: flags)
        guard status == SQLITE_OK, let handle else {
            sqlite3_close_v2(handle)
            throw SQLiteError(code: status, operation: "opening the file")
        }
        self.handle = handle
        try check(keychain_sqlite_no_checkpoint_on_close(handle), "configuring the connection")
        try check(keychain_sqlite_defensive(handle), "configuring the connection")
        // Some of them have SQLite read the schema.
        try readingSchema { () throws(SQLiteError) in
            for setting in settings { try execute("PRAGMA \(setting)") }
        }
        sqlite3_wal_hook(handle, Self.checkpointLongLog, nil)
    }

    deinit { close() }

    /// Closes the file before the connection is released; it must not be used any more.
    func close() {
        if isClosed { return }
        isClosed = true
        statements.removeAll()
        fixedStatements.removeAll()
        sqlite3_close_v2(handle)
    }

    private typealias LogHook =
        @convention(c) (UnsafeMutableRawPointer?, OpaquePointer?, UnsafePointer<CChar>?, Int32) -> Int32

    /// Writes a long log back, and lets the next change restart it, as far as other connections permit.
    ///
    /// A process does not know what earlier processes wrote back, and would extend the log without limit: one of twice
    /// the length is truncated.
    private static let checkpointLongLog: LogHook = { _, handle, name, frameCount in
        if frameCount >= longestLog {
            let mode = frameCount >= 2 * longestLog ? SQLITE_CHECKPOINT_TRUNCATE : SQLITE_CHECKPOINT_RESTART
            sqlite3_wal_checkpoint_v2(handle, name, mode, nil, nil)
        }
        return SQLITE_OK
    }

    /// In pages of 4 KiB.
    private static let longestLog: Int32 = 1_000

    /// Whether the transaction under way, or the last one, has changed a row.
    var hasChangedRows: Bool { sqlite3_total_changes(handle) != changesBefore }

    private var changesBefore: Int32 = 0

    /// Begins a transaction that may change rows.
    func begin() throws(SQLiteError) {
        try run(.beginImmediate, "BEGIN IMMEDIATE")
        changesBefore = sqlite3_total_changes(handle)
    }

    /// The mark under which this connection has brought the first page into the log.
    var markWithFirstPage: LogMark?

    /// Lends SQLite's file of the database.
    func withFile<Result>(_ body: (StoreFileSystem.File) -> Result) throws(SQLiteError) -> Result {
        var file: UnsafeMutablePointer<sqlite3_file>?
        let status = sqlite3_file_control(handle, "main", SQLITE_FCNTL_FILE_POINTER, &file)
        guard status == SQLITE_OK, let file else { throw SQLiteError(code: status, operation: "finding the file") }
        return body(file)
    }

    /// Runs SQL whose rows, if any, are ignored.
    func execute(_ sql: String) throws(SQLiteError) {
        try check(sqlite3_exec(handle, sql, nil, nil, nil), "running '\(sql.prefix(40))'")
    }

    /// A prepared statement, cached under its key.
    func statement(_ key: StatementKey, _ sql: () -> String) throws(SQLiteError) -> SQLiteStatement {
        if let statement = statements[key] { return statement }
        let statement = try prepare(sql())
        // Every combination of conditions is a separate statement; a program that uses many combinations keeps few.
        if statements.count >= Self.keptStatements { statements.removeAll() }
        statements[key] = statement
        return statement
    }

    /// A constant prepared statement, cached.
    func statement(_ fixed: FixedStatement, _ sql: @autoclosure () -> String) throws(SQLiteError) -> SQLiteStatement {
        if let statement = fixedStatements[fixed.rawValue] { return statement }
        let statement = try prepare(sql())
        fixedStatements[fixed.rawValue] = statement
        return statement
    }

    /// The state of the database that this connection sees inside a transaction that has read something.
    ///
    /// The number changes with each change by any connection (sqlite.org/c3ref/c_fcntl_begin_atomic_write.html,
    /// SQLITE_FCNTL_DATA_VERSION).
    var state: UInt32? {
        var state: UInt32 = 0
        // Without a name, this refers to the main database.
        let status = sqlite3_file_control(handle, nil, SQLITE_FCNTL_DATA_VERSION, &state)
        return status == SQLITE_OK ? state : nil
    }

    /// A prepared statement for one use.
    func prepare(_ sql: String) throws(SQLiteError) -> SQLiteStatement {
        var statement: OpaquePointer?
        try check(
            sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil),
            "preparing '\(sql.prefix(60))'"
        )
        guard let statement else { throw SQLiteError(code: SQLITE_MISUSE, operation: "preparing nothing") }
        return SQLiteStatement(statement)
    }

    /// The single integer that a statement returns.
    func integer(_ sql: String) throws(SQLiteError) -> Int64 {
        let statement = try prepare(sql)
        defer { statement.reset() }
        return try statement.step() ? statement.integer(0) : 0
    }

    /// Runs `body` without the limit on the size of a row, whose columns may contain foreign data.
    ///
    /// The statements must not read such a column: SQLite would allocate as much memory for it.
    func readingLargeRows<Result>(_ body: () throws(SQLiteError) -> Result) throws(SQLiteError) -> Result {
        sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, rowLimits.largest)
        defer { sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, rowLimits.usual) }
        return try body()
    }

    /// Removes the cached statements on item rows, which were prepared for other tables.
    func forgetStatements() { statements.removeAll() }

    private func limitRows(to usual: Int32, _ largest: Int32) {
        rowLimits = (usual, largest)
        sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, usual)
    }

    /// How long to wait for other connections from now on; 0 before the first call.
    func setBusyTimeout(milliseconds: Int32) { sqlite3_busy_timeout(handle, milliseconds) }

    /// How many pages had to leave the cache for the log, or the file, before their transaction ended.
    var spillCount: Int32 { status(SQLITE_DBSTATUS_CACHE_SPILL) }

    /// How many pages were read, from the cache or from the file.
    var readPageCount: Int32 { status(SQLITE_DBSTATUS_CACHE_HIT) + status(SQLITE_DBSTATUS_CACHE_MISS) }

    private func status(_ what: Int32) -> Int32 {
        var (count, highest): (Int32, Int32) = (0, 0)
        sqlite3_db_status(handle, what, &count, &highest, 0)
        return count
    }

    /// How many rows the last statement changed.
    var changes: Int { Int(sqlite3_changes(handle)) }

    /// Runs a statement that adds, changes or removes one row.
    ///
    /// - Throws: ``SQLiteError`` of `SQLITE_CORRUPT` if it did not, although SQLite reports no error: the tables were
    ///   modified.
    func changeOneRow(_ statement: SQLiteStatement) throws(SQLiteError) {
        _ = try statement.step()
        guard changes == 1 else {
            throw SQLiteError(code: SQLITE_CORRUPT, operation: "changing a row, which the table did not accept")
        }
    }

    /// The number of what the database declares, which changes with every change of the schema.
    func declarationsNumber() throws(SQLiteError) -> Int64 {
        let statement = try statement(.declarations, "PRAGMA schema_version")
        defer { statement.reset() }
        return try statement.step() ? statement.integer(0) : 0
    }

    /// Whether a transaction is open.
    var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

    /// Lends the handle for what only one place does.
    func withHandle<Result>(_ body: (OpaquePointer) throws(SQLiteError) -> Result) throws(SQLiteError) -> Result {
        try body(handle)
    }

    /// The row number of the last insertion.
    var lastRowNumber: Int64 { sqlite3_last_insert_rowid(handle) }

    private func check(_ status: Int32, _ operation: @autoclosure () -> String) throws(SQLiteError) {
        guard status == SQLITE_OK else { throw SQLiteError(code: status, operation: operation()) }
    }
}
