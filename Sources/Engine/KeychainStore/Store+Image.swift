// SPDX-License-Identifier: Apache-2.0

import CSQLite
import KeychainCore

/// A store in memory as bytes, which a keychain file contains.
extension Store {
    /// The bytes of a store in memory, as it is now.
    package func image() throws(KeychainError) -> [UInt8] {
        do { return try connection.image() } catch { throw KeychainError(error) }
    }

    /// A store in memory with the rows and the keybag of an image of any origin.
    ///
    /// - Throws: A failure of the kind ``KeychainError/StorageFailure/damaged`` for anything other than an image of a
    ///   store, ``KeychainError/StorageFailure/newerFormat``.
    package convenience init(image: [UInt8]) throws(KeychainError) {
        try self.init()
        do throws(StoreError) {
            fileVersion = try connection.loadForeign(image)
        } catch {
            throw KeychainError(error)
        }
    }
}

extension SQLiteConnection {
    /// Loads an image after checking everything in it that SQLite would act upon.
    ///
    /// - Returns: Its version, which is this one or that of the previous format.
    fileprivate func loadForeign(_ image: [UInt8]) throws(StoreError) -> FileVersion {
        let version: FileVersion
        do throws(SQLiteError) {
            guard !image.isEmpty else {
                throw SQLiteError(code: SQLITE_NOTADB, operation: "loading the image of a store")
            }
            guard FileHeader.isSize(of: image) else {
                throw SQLiteError(code: SQLITE_CORRUPT, operation: "comparing the size of the image with its header")
            }
            try SchemaTree.check(FileBytes(image))
            try load(image)
            try readSchema()
            try execute("PRAGMA trusted_schema = OFF")
            try execute("PRAGMA cell_size_check = ON")
            guard try integer("PRAGMA application_id") == Layout.applicationIdentifier else {
                throw SQLiteError(code: SQLITE_NOTADB, operation: "looking for the mark of a keychain store")
            }
            version = FileVersion(recorded: try integer("PRAGMA user_version"))
        } catch {
            throw StoreError(opening: error, path: nil)
        }
        guard version.version <= FileFormat.version, version.canBeRead() || version.version == FileFormat.formerVersion
        else { throw .newer(version) }
        do throws(SQLiteError) {
            hasSearchIndexes = try Declarations.check(.memory, version, in: self)
            tables = ItemTables(version: version.version)
            guard try structuralDefects(limit: 1).isEmpty else {
                throw SQLiteError(code: SQLITE_CORRUPT, operation: "checking the structure")
            }
        } catch {
            throw StoreError(opening: error, path: nil)
        }
        return version
    }
}
