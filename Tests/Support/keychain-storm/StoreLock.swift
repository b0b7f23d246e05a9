// SPDX-License-Identifier: Apache-2.0

import CSQLite
import KeychainStore

/// A foreign program's write lock on the store.
enum StoreLock {
    /// Holds the lock until the next line of standard input.
    static func holdUntilInput(_ folder: String) {
        var database: OpaquePointer?
        let path = "\(folder)/\(Store.fileName)"
        guard sqlite3_open_v2(path, &database, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK else {
            return Console.write("held 1")
        }
        Console.write("held \(sqlite3_exec(database, "BEGIN IMMEDIATE", nil, nil, nil))")
        _ = Console.readLine()
        sqlite3_exec(database, "ROLLBACK", nil, nil, nil)
        Console.write("released \(sqlite3_close_v2(database))")
    }
}
