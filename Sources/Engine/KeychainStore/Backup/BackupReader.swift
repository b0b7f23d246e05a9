// SPDX-License-Identifier: Apache-2.0

import CSQLite
import Glibc
import KeychainCore
import KeychainHost

/// Reads a backup file from any origin.
///
/// Only the file's own tables are read, column by column: a file with any other table, index, trigger or view is
/// refused before any of its contents is read, and SQLite writes nothing next to it.
package final class BackupReader {
    private let connection: SQLiteConnection
    private let path: String
    private let byteCount: Int64

    /// Its version.
    package let version: FileVersion

    /// Opens a file and checks all of it but the contents of its rows.
    package convenience init(_ file: String) throws(KeychainError) {
        let (path, byteCount): (String, Int64)
        do throws(StoreError) { (path, byteCount) = try Self.resolve(file) } catch { throw KeychainError(error) }
        try self.init(path, byteCount: byteCount) { () throws(SQLiteError) in
            try SQLiteConnection(foreign: path, rowLimit: BackupLayout.valueLimit)
        }
    }

    /// Opens the bytes of a file, and checks as much.
    package convenience init(bytes: SecretBytes) throws(KeychainError) {
        try self.init("the file", byteCount: Int64(bytes.count)) { () throws(SQLiteError) in
            // It is encrypted, so that a copy reveals nothing.
            try SQLiteConnection(foreignImage: bytes.unprotectedCopy, rowLimit: BackupLayout.valueLimit)
        }
    }

    private init(
        _ path: String,
        byteCount: Int64,
        _ open: () throws(SQLiteError) -> SQLiteConnection
    ) throws(KeychainError) {
        (self.path, self.byteCount) = (path, byteCount)
        let mark: Int64
        do throws(SQLiteError) {
            connection = try open()
            mark = try connection.integer("PRAGMA application_id")
            version = FileVersion(recorded: try connection.integer("PRAGMA user_version"))
            connection.tables = ItemTables(version: BackupLayout.tables(version.version))
        } catch {
            throw Self.refusal(error, path)
        }
        try checkFormat(mark)
        // The check evaluates expressions in table and index declarations, so those are verified first.
        try checkTables()
        try checkStructure()
    }

    /// The keybag of the backup.
    package func keybag() throws(KeychainError) -> [UInt8] {
        try reading { () throws(SQLiteError) in try connection.keybag() }
    }

    /// Passes the rows of a class to `body`, in their order, up to one that is in quarantine or has a wrong shape.
    ///
    /// - Throws: An error for such a row, or the errors of `body`.
    package func forEachRow(
        _ itemClass: ItemClass,
        _ body: (NumberedRow) throws(KeychainError) -> Void
    ) throws(KeychainError) {
        let rows = try reading { () throws(SQLiteError) in try connection.everyRow(itemClass) }
        while try reading({ () throws(SQLiteError) in try rows.next() }) {
            guard let row = rows.row, row.damage == nil else { throw refusal("a row has a wrong shape") }
            try body(row)
        }
    }

    /// The number of items of each class, which nothing but the secret proves.
    package func itemCounts() throws(KeychainError) -> [ItemClass: Int] {
        var counts: [ItemClass: Int] = [:]
        for itemClass in ItemClass.stored {
            counts[itemClass] = try reading { () throws(SQLiteError) in
                Int(
                    try connection.integer(
                        "SELECT count(*) FROM \(Layout.table(itemClass)) WHERE \(Layout.tombstone) = 0"
                    )
                )
            }
        }
        return counts
    }

    /// The number of keychain files, which nothing but the secret proves.
    package func fileCount() throws(KeychainError) -> Int {
        guard BackupLayout.hasFiles(version.version) else { return 0 }
        return try reading { () throws(SQLiteError) in
            Int(try connection.integer("SELECT count(*) FROM \(BackupLayout.files)"))
        }
    }

    /// Passes the sealed keychain files to `body`, in their order.
    ///
    /// - Throws: An error for one that has a wrong shape, or the errors of `body`.
    package func forEachFile(
        _ body: (_ sealed: [UInt8], _ number: Int64) throws(KeychainError) -> Void
    ) throws(KeychainError) {
        guard BackupLayout.hasFiles(version.version) else { return }
        let count = try fileCount()
        guard count <= BackedUpFile.maximumCount else { throw refusal("it has \(count) keychain files") }
        let rows = try reading { () throws(SQLiteError) in
            try connection.prepare(
                "SELECT \(Layout.rowNumber), \(BackupLayout.sealed) FROM \(BackupLayout.files) ORDER BY \(Layout.rowNumber)"
            )
        }
        defer { rows.reset() }
        while try reading({ () throws(SQLiteError) in try rows.step() }) {
            guard rows.type(1) == .blob else { throw refusal("a keychain file has a wrong shape") }
            try body(rows.bytes(1), rows.integer(0))
        }
    }

    /// The refusal of the file.
    func refusal(_ why: String) -> KeychainError { KeychainError(StoreError.notABackup(path: path, why)) }

    private func checkFormat(_ mark: Int64) throws(KeychainError) {
        guard mark == BackupLayout.applicationIdentifier else { throw refusal("it lacks the mark of one") }
        guard version.version <= BackupLayout.highestVersion.version,
            version.readerRevision <= BackupLayout.highestVersion.readerRevision
        else {
            throw KeychainError(StoreError.newerBackup(version))
        }
        guard Int64(version.version) >= Layout.firstVersion else {
            throw refusal("it has version \(version.recorded), which was never released")
        }
    }

    private func checkTables() throws(KeychainError) {
        do throws(SQLiteError) { try Declarations.check(.backup, version, in: connection) } catch {
            throw error.primaryCode == SQLITE_NOTADB
                ? refusal("its tables are not those of a backup") : Self.refusal(error, path)
        }
    }

    private func checkStructure() throws(KeychainError) {
        let (pages, pageSize) = try reading { () throws(SQLiteError) in
            try (connection.integer("PRAGMA page_count"), connection.integer("PRAGMA page_size"))
        }
        // SQLite treats the missing bytes of a truncated page as zeros.
        guard pages * pageSize == byteCount else { throw refusal("it has \(byteCount) bytes, not \(pages * pageSize)") }
        let defects = try reading { () throws(SQLiteError) in try connection.structuralDefects(limit: 1) }
        guard defects.isEmpty else { throw refusal("its structure is damaged") }
    }

    private func reading<Result>(_ body: () throws(SQLiteError) -> Result) throws(KeychainError) -> Result {
        do throws(SQLiteError) { return try body() } catch { throw Self.refusal(error, path) }
    }

    private static func refusal(_ error: SQLiteError, _ path: String) -> KeychainError {
        let isOfTheMachine = [SQLITE_NOMEM, SQLITE_IOERR].contains(error.primaryCode)
        return KeychainError(isOfTheMachine ? .sqlite(error) : .notABackup(path: path, "\(error)"))
    }

    /// The path without symbolic links, if it leads to a file, and the file's size: SQLite would wait for a pipe.
    private static func resolve(_ file: String) throws(StoreError) -> (path: String, byteCount: Int64) {
        guard let resolved = realpath(file, nil) else {
            throw .file(.system(call: "realpath", path: file, errno: errno))
        }
        defer { free(resolved) }
        let path = String(cString: resolved)
        var status = stat()
        guard lstat(path, &status) == 0 else { throw .file(.system(call: "lstat", path: path, errno: errno)) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .file(.wrongKind(path: path, expected: "a file")) }
        return (path, Int64(status.st_size))
    }
}
