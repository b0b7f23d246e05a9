// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// Runs the changes of several calls as one transaction, which becomes durable with one sync of the log.
///
/// No other connection sees any of them before that, and either all of them are stored or none.
extension Store {
    /// The state of a group in progress.
    struct Group {
        /// Whether a write of the call under way failed: it must not end as if nothing had been.
        var hasFailedWrite = false
        /// Whether SQLite has undone all of it, as after some errors.
        var isLost = false
    }

    /// Begins a group: until ``endGroup()``, each ``write(_:)`` is added to it, within ``inGroup(_:)``.
    ///
    /// None of its calls may change the device.
    package func beginGroup() { group = Group() }

    /// Whether SQLite has rolled back the group's calls, so that the group accepts no more.
    package var isGroupLost: Bool { group?.isLost ?? false }

    /// Runs one call of the group; if it throws, its changes are undone, and no others unless ``isGroupLost`` is set.
    package func inGroup<Result>(
        _ body: () throws(KeychainError) -> Result
    ) throws(KeychainError) -> Result {
        group?.hasFailedWrite = false
        // Undoing the first call undoes everything.
        guard connection.isInTransaction else {
            do throws(KeychainError) {
                return try complete(body)
            } catch {
                rollBack()
                throw error
            }
        }
        try orLose { () throws(KeychainError) in try run(.savepoint, "SAVEPOINT call") }
        let (spills, rowChanges) = (connection.spillCount, connection.rowChanges)
        let result: Result
        do throws(KeychainError) {
            result = try complete(body)
        } catch {
            guard connection.spillCount == spills else {
                loseAfterSpill()
                throw error
            }
            try orLose { () throws(KeychainError) in
                try run(.rollbackToSavepoint, "ROLLBACK TO call")
                try run(.release, "RELEASE call")
            }
            // The call may have begun or ended the use of a feature.
            connection.forgetFeatures()
            connection.rowChanges = rowChanges
            throw error
        }
        try orLose { () throws(KeychainError) in try run(.release, "RELEASE call") }
        return result
    }

    /// Ends the group; the changes of its calls are durable when this returns.
    ///
    /// - Returns: Whether they changed anything.
    /// - Throws: As ``write(_:)``; nothing of the group was stored in that case, except as described for
    ///   ``StoreError/doubtfulCommit(_:)``.
    @discardableResult
    package func endGroup() throws(KeychainError) -> Bool {
        group = nil
        guard connection.isInTransaction else { return false }
        do throws(KeychainError) {
            try commit()
        } catch {
            rollBack()
            throw error
        }
        return true
    }

    /// Runs `body` as a part of the group's transaction, which begins with the first change.
    func writeInGroup<Result>(
        _ body: () throws(KeychainError) -> Result
    ) throws(KeychainError) -> Result {
        do throws(KeychainError) {
            if !connection.isInTransaction { try begin() }
            return try body()
        } catch {
            group?.hasFailedWrite = true
            throw error
        }
    }

    private func complete<Result>(_ body: () throws(KeychainError) -> Result) throws(KeychainError) -> Result {
        let result = try body()
        guard group?.hasFailedWrite != true else {
            throw KeychainError(.internalComponent, "a change went on after a part of it had failed")
        }
        return result
    }

    /// Rolls back the whole group if SQLite would roll back one call incorrectly.
    ///
    /// If SQLite, at least up to 3.49, has written a page to the log twice since the savepoint, because the cache was
    /// full, it commits the rest, and all later transactions, with checksums that are refused after a restart: all of
    /// them are lost in that case.
    private func loseAfterSpill() {
        rollBack()
        group?.isLost = true
    }

    private func orLose(_ body: () throws(KeychainError) -> Void) throws(KeychainError) {
        // If SQLite has rolled back by itself, the savepoint no longer exists.
        guard connection.isInTransaction else {
            group?.isLost = true
            return
        }
        do throws(KeychainError) {
            try body()
        } catch {
            rollBack()
            group?.isLost = true
            throw error
        }
    }
}
