// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainFiles

extension Store {
    /// Makes the store of a folder that has none from a backup.
    ///
    /// The store appears complete under its name or not at all, and no other process makes one meanwhile.
    ///
    /// - Parameters:
    ///   - file: the path of the backup, which is not changed and need not be trusted.
    ///   - folder: the keychain's folder.
    ///   - options: how patient to be.
    ///   - keybag: gives the keybag of the store for that of the backup.
    /// - Returns: How many items were restored.
    /// - Throws: ``KeychainError`` caused by ``StoreError/notABackup(path:_:)``, ``StoreError/newerBackup(version:)``,
    ///   ``StoreError/storeExists(path:)`` or what else is wrong, or what `keybag` throws.
    public static func restoreBackup(
        from file: String,
        in folder: PrivateDirectory,
        options: StoreOptions,
        keybag: (_ backupKeybag: [UInt8]) throws(KeychainError) -> [UInt8]
    ) throws(KeychainError) -> Int {
        try checkIsFree(folder)
        let backup = try BackupReader(file)
        let lock = try lock(folder, until: Deadline(milliseconds: options.busyTimeoutMilliseconds))
        // Another process may have made a store before it let go of the lock.
        try checkIsFree(folder)
        let keybag = try keybag(backup.keybag())
        var items = 0
        try create(in: folder, options, keybag: keybag) { (connection) throws(KeychainError) in
            items = try backup.addRows(to: connection)
        }
        _ = consume lock
        return items
    }

    private static func checkIsFree(_ folder: PrivateDirectory) throws(KeychainError) {
        if try exists(in: folder) { throw KeychainError(StoreError.storeExists(path: folder.path)) }
    }
}

extension RowWriter {
    /// Adds the rows of a backup to a store that has none.
    ///
    /// - Returns: How many items they are.
    public func add(rowsOf backup: BackupReader) throws(KeychainError) -> Int { try backup.addRows(to: connection) }
}

extension BackupReader {
    /// Adds every row to a database that has the tables of a store.
    ///
    /// - Returns: How many items they are.
    fileprivate func addRows(to connection: Connection) throws(KeychainError) -> Int {
        var items = 0
        for itemClass in ItemClass.stored {
            try forEachRow(itemClass) { (row) throws(KeychainError) in
                do throws(SQLiteError) { try connection.insert(row) } catch {
                    throw error.isUniqueViolation ? refusal("two rows are the same item") : KeychainError(error)
                }
                if !row.row.isTombstone { items += 1 }
            }
        }
        return items
    }
}
