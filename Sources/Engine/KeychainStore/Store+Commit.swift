// SPDX-License-Identifier: Apache-2.0

import CSQLite
import KeychainCore

extension Store {
    /// Commits the transaction of a change; durable when this returns.
    ///
    /// If the last sync fails, the whole change is already in the log, complete with its checksums, and the next
    /// process to open the store after a restart would find it there. So its start is overwritten by another
    /// transaction that changes nothing.
    ///
    /// - Throws: ``KeychainError`` of a ``StoreError``; of ``StoreError/doubtfulCommit(_:)`` if the change may take
    ///   effect later, because that failed as well. Otherwise nothing of it was stored.
    func commit() throws(KeychainError) {
        try sql { () throws(SQLiteError) in try connection.retireEmptyLookups() }
        do throws(SQLiteError) {
            try connection.commit()
        } catch {
            guard error.isInputOutput else { throw KeychainError(error) }
            let isUndone = (try? connection.writeOverFailedCommit()) != nil
            throw KeychainError(isUndone ? .sqlite(error) : .doubtfulCommit(error))
        }
        adoptOwnVersion()
        if let changes = connection.rowChanges.take(), !changes.isEmpty { rowObservers?.tell(changes) }
        indexGroups()
    }

    /// Gives a store in which a class has got many rows an index of access groups.
    ///
    /// It is no part of the change, which must not fail for lack of room for an index. If it cannot be made now, a
    /// later change tries again.
    private func indexGroups() {
        guard connection.hasManyRows else { return }
        connection.hasManyRows = false
        do throws(KeychainError) {
            try begin()
            _ = try sql { () throws(SQLiteError) in try connection.adopt(.groupIndex) }
            try commit()
        } catch {
            rollBack()
        }
    }

    /// Writes the log back into the file as far as no reader uses it, so that the next change takes no more space.
    package func checkpointLog() {
        _ = try? connection.integer("PRAGMA wal_checkpoint(PASSIVE)")
    }
}

extension SQLiteConnection {
    /// Runs a cached statement that returns no rows.
    func run(_ fixed: FixedStatement, _ sql: String) throws(SQLiteError) {
        let statement = try statement(fixed, sql)
        defer { statement.reset() }
        _ = try statement.step()
    }

    /// Commits, for every change of a database; what was read of the version and the device in the transaction, and not
    /// changed, is valid for the new state as well.
    func commit() throws(SQLiteError) {
        let bringsFirstPage = try bringFirstPage()
        let state = state
        let record = knownDevice?.state == state ? knownDevice?.record : nil
        let isChecked = checkedState == state
        try run(.commit, "COMMIT")
        if bringsFirstPage { markWithFirstPage = try? mark() }
        let next = self.state
        if isChecked { checkedState = next }
        guard let record, !hasChangedDevice else { return }
        knownDevice = next.map { (record, $0) }
    }

    /// Writes the first page to the log with the first change that this connection makes under a mark, so that the mark
    /// becomes invalid when the log is written back, by any program (``LogMark``).
    private func bringFirstPage() throws(SQLiteError) -> Bool {
        guard !isInMemory, hasChangedRows, try withFile(StoreFileSystem.hasLog) else { return false }
        if let mark = try mark(), mark == markWithFirstPage { return false }
        try writeFirstPage()
        return true
    }

    /// The mark of the file.
    func mark() throws(SQLiteError) -> LogMark? {
        let (status, mark) = try withFile(StoreFileSystem.mark)
        guard status == SQLITE_OK else { throw SQLiteError(code: status, operation: "reading the mark of the file") }
        return mark
    }

    fileprivate func writeOverFailedCommit() throws(SQLiteError) {
        if isInTransaction { try execute("ROLLBACK") }
        try writeFirstPage()
    }

    /// Has the first page in the log, as it is.
    private func writeFirstPage() throws(SQLiteError) {
        try execute("PRAGMA user_version = \(try integer("PRAGMA user_version"))")
    }
}
