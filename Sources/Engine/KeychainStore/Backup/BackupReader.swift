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
    private let version: FileVersion

    /// Opens a file and checks all of it but the contents of its rows.
    package init(_ file: String) throws(KeychainError) {
        do throws(StoreError) { (path, byteCount) = try Self.resolve(file) } catch { throw KeychainError(error) }
        let mark: Int64
        do throws(SQLiteError) {
            connection = try SQLiteConnection(foreign: path, rowLimit: BackupLayout.valueLimit)
            mark = try connection.integer("PRAGMA application_id")
            version = FileVersion(recorded: try connection.integer("PRAGMA user_version"))
            connection.tables = ItemTables(version: version.version)
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
    func forEachRow(
        _ itemClass: ItemClass,
        _ body: (NumberedRow) throws(KeychainError) -> Void
    ) throws(KeychainError) {
        let rows = try reading { () throws(SQLiteError) in try connection.everyRow(itemClass) }
        while try reading({ () throws(SQLiteError) in try rows.next() }) {
            guard let row = rows.row, row.damage == nil else { throw refusal("a row has a wrong shape") }
            try body(row)
        }
    }

    /// The refusal of the file.
    func refusal(_ why: String) -> KeychainError { KeychainError(StoreError.notABackup(path: path, why)) }

    private func checkFormat(_ mark: Int64) throws(KeychainError) {
        guard mark == BackupLayout.applicationIdentifier else { throw refusal("it lacks the mark of one") }
        guard version.version <= FileFormat.version, version.readerRevision <= FileFormat.revision else {
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
        guard try texts("PRAGMA integrity_check(1)") == ["ok"] else { throw refusal("its structure is damaged") }
    }

    private func texts(_ sql: String) throws(KeychainError) -> [String] {
        try reading { () throws(SQLiteError) in
            let statement = try connection.prepare(sql)
            var texts: [String] = []
            while try statement.step() { texts.append(statement.text(0)) }
            return texts
        }
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
