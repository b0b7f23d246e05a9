// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainHost

extension Store {
    /// Creates the store of a folder that has none from a backup.
    ///
    /// The store appears under its name either complete or not at all, and no other process creates one meanwhile.
    ///
    /// - Parameters:
    ///   - open: opens the backup, which is not modified and need not be trusted.
    ///   - folder: the keychain's folder.
    ///   - options: the settings of the store.
    ///   - contents: returns the contents of the store for the keybag of the backup.
    /// - Returns: The number of restored items.
    /// - Throws: ``KeychainError`` of ``StoreError/notABackup(path:_:)``, ``StoreError/newerBackup(version:)``,
    ///   ``StoreError/storeExists(path:)`` or another reason, or the errors of `contents`.
    package static func restoreBackup(
        from open: () throws(KeychainError) -> BackupReader,
        in folder: PrivateDirectory,
        options: StoreOptions,
        contents: (_ backupKeybag: [UInt8]) throws(KeychainError) -> RestoredStore
    ) throws(KeychainError) -> Int {
        try checkLibrary()
        try checkIsFree(folder)
        let backup = try open()
        let place: StorePlace
        do { place = try StorePlace(folder, options) } catch { throw KeychainError(error) }
        defer { place.hostLock?.release() }
        if case .foreign(let kind) = place { throw KeychainError(.sharedFolder(path: folder.path, kind: kind)) }
        let lock = try lock(folder, until: Deadline(milliseconds: options.busyTimeoutMilliseconds))
        // Another process may have created a store before it released the lock.
        try checkIsFree(folder)
        let contents = try contents(backup.keybag())
        var items = 0
        try create(in: folder, options, place, keybag: contents.keybag) { (connection) throws(KeychainError) in
            items = try backup.addRows(to: connection, contents)
        }
        _ = consume lock
        return items
    }

    private static func checkIsFree(_ folder: PrivateDirectory) throws(KeychainError) {
        if try exists(in: folder) { throw KeychainError(StoreError.storeExists(path: folder.path)) }
    }
}

/// The contents of a restored store.
package struct RestoredStore {
    fileprivate let keybag: [UInt8]
    fileprivate let reseal: (NumberedRow) throws(KeychainError) -> StoredRow?
    fileprivate let checkFile: (_ sealed: [UInt8], _ number: Int64) throws(KeychainError) -> Void
    fileprivate let checkRows: () throws(KeychainError) -> Void

    /// Creates the contents of a restored store.
    ///
    /// - Parameters:
    ///   - keybag: its keybag.
    ///   - reseal: returns the store's row for a row of the backup, `nil` for one that is not restored; throws for
    ///     one that does not open.
    ///   - checkFile: throws for a keychain file that does not open; a store has none.
    ///   - checkRows: throws if the rows and files were not those of the backup.
    package init(
        keybag: [UInt8],
        reseal: @escaping (NumberedRow) throws(KeychainError) -> StoredRow?,
        checkFile: @escaping (_ sealed: [UInt8], _ number: Int64) throws(KeychainError) -> Void,
        checkRows: @escaping () throws(KeychainError) -> Void
    ) {
        self.keybag = keybag
        self.reseal = reseal
        self.checkFile = checkFile
        self.checkRows = checkRows
    }
}

extension RowWriter {
    /// Adds the rows of a backup to an empty store; the caller handles its keybag.
    ///
    /// - Returns: The number of items.
    package func add(rowsOf backup: BackupReader, _ contents: RestoredStore) throws(KeychainError) -> Int {
        connection.rowChanges?.recordUnknown()
        return try backup.addRows(to: connection, contents)
    }
}

extension BackupReader {
    /// Adds every row that is restored, resealed, to a database that has the tables of a store.
    ///
    /// - Returns: The number of items.
    fileprivate func addRows(to connection: SQLiteConnection, _ contents: RestoredStore) throws(KeychainError) -> Int {
        var items = 0
        for itemClass in ItemClass.stored {
            try forEachRow(itemClass) { (row) throws(KeychainError) in
                guard let resealed = try contents.reseal(row) else { return }
                let sealed = NumberedRow(number: row.number, row: resealed, damage: nil)
                do throws(SQLiteError) { try connection.insert(sealed) } catch {
                    throw error.isUniqueViolation ? refusal("two rows are the same item") : KeychainError(error)
                }
                if !row.row.isTombstone { items += 1 }
            }
        }
        try forEachFile(contents.checkFile)
        try contents.checkRows()
        return items
    }
}
