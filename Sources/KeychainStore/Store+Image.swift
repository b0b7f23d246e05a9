// SPDX-License-Identifier: Apache-2.0

import CSQLite
import KeychainCore

/// A store in memory as bytes, which a keychain file holds.
extension Store {
    /// The bytes of a store in memory, as it is now.
    package func image() throws(KeychainError) -> [UInt8] {
        do { return try connection.image() } catch { throw KeychainError(error) }
    }

    /// A store in memory with the rows and the keybag of an image, which anybody may have made.
    ///
    /// - Throws: A failure of the kind ``KeychainError/StorageFailure/damaged`` for what is no image of a store,
    ///   ``KeychainError/StorageFailure/newerFormat``.
    package convenience init(image: [UInt8]) throws(KeychainError) {
        try self.init()
        do throws(StoreError) { try connection.loadForeign(image) } catch { throw KeychainError(error) }
    }
}

extension Connection {
    /// Loads an image after a look at everything in it that SQLite would act upon.
    fileprivate func loadForeign(_ image: [UInt8]) throws(StoreError) {
        do throws(SQLiteError) {
            let tables = try declarations()
            guard !image.isEmpty else {
                throw SQLiteError(code: SQLITE_NOTADB, operation: "loading the image of a store")
            }
            try load(image)
            try execute("PRAGMA trusted_schema = OFF")
            guard try integer("PRAGMA application_id") == Layout.applicationIdentifier else {
                throw SQLiteError(code: SQLITE_NOTADB, operation: "looking for the mark of a keychain store")
            }
            let version = try integer("PRAGMA user_version")
            guard version <= Layout.version else { throw SQLiteError(code: SQLITE_SCHEMA, operation: "newer") }
            let found = try declarations()
            guard version == Layout.version, found == tables else {
                throw SQLiteError(code: SQLITE_NOTADB, operation: "comparing the tables of a keychain store")
            }
            let check = try prepare("PRAGMA quick_check(1)")
            defer { check.reset() }
            guard try check.step(), check.text(0) == "ok" else {
                throw SQLiteError(code: SQLITE_CORRUPT, operation: "checking the structure")
            }
        } catch {
            switch error.primaryCode {
            case SQLITE_SCHEMA: throw .newer(version: Layout.version + 1)
            case SQLITE_CORRUPT, SQLITE_NOTADB: throw .notAStore(path: "", error.description)
            default: throw .sqlite(error)
            }
        }
    }

    /// What the database declares: tables and indexes, and whatever else somebody may have put there.
    private func declarations() throws(SQLiteError) -> Set<String> {
        let statement = try prepare("SELECT type || ' ' || name || ' ' || coalesce(sql, '') FROM sqlite_schema")
        defer { statement.reset() }
        var found: Set<String> = []
        while try statement.step() { found.insert(statement.text(0)) }
        return found
    }
}
