// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainHost

extension Store {
    /// Creates the file under another name, complete, and then renames it; the caller holds the setup lock.
    ///
    /// On failure, everything that it created is removed again.
    ///
    /// - Parameters:
    ///   - folder: the keychain's folder, which has no store.
    ///   - options: the maximum sizes of the file and the cache.
    ///   - place: how the folder may be used.
    ///   - keybag: the keybag.
    ///   - addRows: adds the rows.
    /// - Throws: `errSecNotAvailable` with the reason, or the errors of `addRows`.
    static func create(
        in folder: PrivateDirectory,
        _ options: StoreOptions,
        _ place: StorePlace,
        keybag: [UInt8],
        addRows: (SQLiteConnection) throws(KeychainError) -> Void = { _ in }
    ) throws(KeychainError) {
        let temporary = "\(fileName).new"
        let companions = ["-wal", "-shm", "-journal"].map { temporary + $0 }
        func remove(_ names: [String]) { for name in names { folder.remove(name) } }
        // A process that died may have left them.
        remove([temporary] + companions)
        defer { remove([temporary] + companions) }
        try changing(folder) { (folder) throws(FileError) in
            try setLogAside(in: folder)
            try folder.makeEmptyFile(temporary)
        }
        try fillFile(at: folder.path(of: temporary), options: options, place: place, keybag: keybag, addRows: addRows)
        // Before it becomes a store, because they are not cleaned up later.
        remove(companions)
        try changing(folder) { (folder) throws(FileError) in try folder.publish(temporary, as: fileName) }
    }

    private static func changing(
        _ folder: PrivateDirectory,
        _ body: (PrivateDirectory) throws(FileError) -> Void
    ) throws(KeychainError) {
        do throws(FileError) { try body(folder) } catch { throw KeychainError(StoreError.file(error)) }
    }

    /// A log of another file would be replayed into this one; with a journal this one would be refused.
    static func setLogAside(in folder: PrivateDirectory) throws(FileError) {
        for companion in ["-wal", "-shm", "-journal"].map({ fileName + $0 }) where try folder.hasFile(companion) {
            try folder.setAside(companion)
        }
    }

    /// Nothing but the file itself is left of the connection: an empty log, and its index.
    private static func fillFile(
        at path: String,
        options: StoreOptions,
        place: StorePlace,
        keybag: [UInt8],
        addRows: (SQLiteConnection) throws(KeychainError) -> Void
    ) throws(KeychainError) {
        let connection = try sql { () throws(SQLiteError) in
            let connection = try place.connection(to: path)
            try connection.limit(options)
            // A failed file is discarded, and needs no journal.
            try connection.execute("PRAGMA journal_mode = MEMORY")
            return connection
        }
        try fill(connection, keybag: keybag, addRows: addRows)
        try sql { () throws(SQLiteError) in
            try connection.execute("PRAGMA journal_mode = WAL")
            try connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        }
    }

    static func fill(
        _ connection: SQLiteConnection,
        keybag: [UInt8],
        addRows: (SQLiteConnection) throws(KeychainError) -> Void = { _ in }
    ) throws(KeychainError) {
        try sql { () throws(SQLiteError) in
            try connection.begin()
            for statement in Layout.creation() { try connection.execute(statement) }
            try connection.insert(keybag: keybag, DeviceRecord())
        }
        try addRows(connection)
        try sql { () throws(SQLiteError) in
            try connection.execute("PRAGMA application_id = \(Layout.applicationIdentifier)")
            try connection.execute("PRAGMA user_version = \(FileVersion.base.recorded)")
            try connection.commit()
        }
    }
}

extension SQLiteConnection {
    /// Keeps the file from growing beyond what the options allow, and the cache from taking more memory.
    func limit(_ options: StoreOptions) throws(SQLiteError) {
        if let count = options.maximumPageCount { try execute("PRAGMA max_page_count = \(count)") }
        if let size = options.cacheKibibytes { try execute("PRAGMA cache_size = -\(size)") }
    }
}
