// SPDX-License-Identifier: Apache-2.0

import CSQLite
import HostFiles
import KeychainCore

/// A log without which the file is not the whole store, and how it is written back at the end.
extension Store {
    /// Marks the file before the first change that comes into the log after it was written back.
    ///
    /// First the log is there, by a name that is durable, and then the mark: so a crash leaves no file that is marked
    /// and has no log. The first page comes into the log with the change, so that the mark ends when the log is written
    /// back, by whatever program (``LogMark``).
    func markFile() throws(KeychainError) {
        guard let watched, connection.hasChangedRows else { return }
        let isMarked = try sql { () throws(SQLiteError) in
            try connection.withFile { LogMark.isSet(in: $0) } ?? true
        }
        if isMarked, watched.logByteCount != 0 { return }
        if !isMarked {
            do throws(FileError) { try watched.syncFolder() } catch { throw KeychainError(StoreError.file(error)) }
        }
        try sql { () throws(SQLiteError) in
            if !isMarked {
                let status = try connection.withFile { LogMark.set(in: $0) }
                guard status == SQLITE_OK else { throw SQLiteError(code: status, operation: "marking the file") }
            }
            try connection.writeFirstPage()
        }
    }

    /// Writes the log back and takes the mark away, as far as nobody else is using the store at this moment.
    ///
    /// Then the file alone is the whole store. Nobody is waited for, and what fails is left as it is.
    ///
    /// A store under the lock of all hosts is closed, and the lock released; it may not be used any more.
    package func finish() {
        writeBackAtEnd()
        closeUnderHostLock()
    }

    private func writeBackAtEnd() {
        guard let watched, !watched.isUnchanging, group == nil, !connection.isInTransaction, isCurrent else { return }
        if watched.logByteCount == 0, (try? connection.withFile { LogMark.isSet(in: $0) }) != true { return }
        guard (try? connection.integer("PRAGMA wal_checkpoint(TRUNCATE)")) == 0 else { return }
        // Of a change that failed after the file was marked for it.
        guard (try? connection.withFile { LogMark.isSet(in: $0) }) == true else { return }
        guard (try? connection.execute("BEGIN IMMEDIATE")) != nil else { return }
        defer { try? connection.execute("ROLLBACK") }
        guard watched.logByteCount == 0 else { return }
        try? connection.withFile { file in
            if let methods = file.pointee.pMethods?.pointee { LogMark.clear(in: file, methods) }
        }
    }

    /// Refuses a file that was copied without its log.
    ///
    /// Nobody of ours removes a log. Who writes one back and removes it, as SQLite's own tools do, takes the mark away
    /// before: so the mark is looked at again once the log was missing.
    static func refuseMissingLog(_ watched: WatchedFile, _ options: StoreOptions) throws(StoreError) {
        if options.acceptsMissingLog || watched.hasLog { return }
        for _ in 0..<2 {
            let header: FileHeader?
            do throws(SQLiteError) { header = try FileHeader(path: watched.path) } catch { throw .sqlite(error) }
            if header?.isMarked != true || watched.hasLog { return }
        }
        throw .missingLog(path: watched.path)
    }
}
