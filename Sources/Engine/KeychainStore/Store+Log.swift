// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainHost

/// Writes a log back at the end, and distinguishes it from that of another file, or of another time.
extension Store {
    /// Writes the log back and removes the mark, unless other processes are using the store at this moment.
    ///
    /// Then the file alone is the whole store. This waits for no other process, and ignores failures.
    ///
    /// A store under the lock for all hosts is closed, and the lock released; it must not be used any more.
    package func finish() {
        writeBackAtEnd()
        closeUnderHostLock()
    }

    private func writeBackAtEnd() {
        // Other hosts that begin to share the store wait for this (``StorePlace``).
        guard let watched, !watched.isUnchanging, group == nil, !connection.isInTransaction, watched.isSameFile else {
            return
        }
        // Of a change that failed after the file was marked for it, the mark alone is left.
        if watched.logByteCount == 0, (try? connection.mark()) == .some(nil) { return }
        _ = try? connection.integer("PRAGMA wal_checkpoint(TRUNCATE)")
    }

    /// Refuses a file whose mark identifies another log than the existing one: one of them was copied without the
    /// other, or at another time.
    ///
    /// On request, the file is used without its log: the other one is moved aside.
    static func refuseMissingLog(
        _ watched: WatchedFile,
        in folder: PrivateDirectory,
        _ options: StoreOptions
    ) throws(StoreError) {
        guard try hasOtherLog(watched) else { return }
        guard options.acceptsMissingLog else { throw .missingLog(path: watched.path) }
        if watched.isUnchanging || watched.logByteCount == 0 { return }
        let lock: FileLock
        do { lock = try FileLock(lockName, in: folder, until: Deadline(milliseconds: 0)) } catch { throw .file(error) }
        // Another process may have done it before it released the lock.
        if try hasOtherLog(watched) {
            do { try setLogAside(in: folder) } catch { throw .file(error) }
        }
        _ = consume lock
    }

    /// Whether a file is marked, and its log is not the one that the mark identifies.
    ///
    /// Other processes may write the log back, or restart it, at this moment: then the mark is different afterwards.
    private static func hasOtherLog(_ watched: WatchedFile) throws(StoreError) -> Bool {
        while true {
            guard let mark = try mark(of: watched) else { return false }
            if watched.logBeginning?.belongs(to: mark) == true { return false }
            if try self.mark(of: watched) == mark { return true }
        }
    }

    private static func mark(of watched: WatchedFile) throws(StoreError) -> LogMark? {
        do throws(SQLiteError) { return try FileHeader(path: watched.path)?.mark } catch { throw .sqlite(error) }
    }
}
