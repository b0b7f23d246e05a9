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
        defer { removeNew(from: folder) }
        try changing(folder) { (folder) throws(FileError) in try setLogAside(in: folder) }
        try makeNew(in: folder, options, place, keybag: keybag, addRows: addRows)
        try changing(folder) { (folder) throws(FileError) in try folder.publish(newName, as: fileName) }
    }

    /// The name of a file that is not a store yet.
    static let newName = fileName + PrivateDirectory.temporarySuffix

    private static let companionSuffixes = ["-wal", "-shm", "-journal"]

    /// Removes a file that has not become a store, and what SQLite made beside it.
    static func removeNew(from folder: PrivateDirectory) {
        for suffix in [""] + companionSuffixes { folder.remove(newName + suffix) }
    }

    /// Creates the file of a store, complete, under the name that a store does not have.
    static func makeNew(
        in folder: PrivateDirectory,
        _ options: StoreOptions,
        _ place: StorePlace,
        keybag: [UInt8],
        record: DeviceRecord = DeviceRecord(),
        addRows: (SQLiteConnection) throws(KeychainError) -> Void
    ) throws(KeychainError) {
        // A process that died may have left them.
        removeNew(from: folder)
        try changing(folder) { (folder) throws(FileError) in try folder.makeEmptyFile(newName) }
        try fillFile(
            at: folder.path(of: newName),
            options: options,
            place: place,
            keybag: keybag,
            record: record,
            addRows: addRows
        )
        // Before it becomes a store, because they are not cleaned up later.
        for suffix in companionSuffixes { folder.remove(newName + suffix) }
    }

    static func changing(
        _ folder: PrivateDirectory,
        _ body: (PrivateDirectory) throws(FileError) -> Void
    ) throws(KeychainError) {
        do throws(FileError) { try body(folder) } catch { throw KeychainError(StoreError.file(error)) }
    }

    /// A log of another file would be replayed into this one; with a journal this one would be refused.
    static func setLogAside(in folder: PrivateDirectory) throws(FileError) {
        for companion in companionSuffixes.map({ fileName + $0 }) where try folder.hasFile(companion) {
            try folder.setAside(companion)
        }
    }

    /// Nothing but the file itself is left of the connection: an empty log, and its index.
    private static func fillFile(
        at path: String,
        options: StoreOptions,
        place: StorePlace,
        keybag: [UInt8],
        record: DeviceRecord,
        addRows: (SQLiteConnection) throws(KeychainError) -> Void
    ) throws(KeychainError) {
        let connection = try sql { () throws(SQLiteError) in
            let connection = try place.connection(to: path)
            try connection.limit(options)
            // A failed file is discarded, and needs no journal.
            try connection.execute("PRAGMA journal_mode = MEMORY")
            return connection
        }
        try fill(connection, keybag: keybag, record: record, addRows: addRows)
        try sql { () throws(SQLiteError) in
            try connection.execute("PRAGMA journal_mode = WAL")
            try connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        }
    }

    static func fill(
        _ connection: SQLiteConnection,
        keybag: [UInt8],
        record: DeviceRecord = DeviceRecord(),
        addRows: (SQLiteConnection) throws(KeychainError) -> Void = { _ in }
    ) throws(KeychainError) {
        try sql { () throws(SQLiteError) in
            try connection.begin()
            for statement in Layout.creation() { try connection.execute(statement) }
            try connection.insert(keybag: keybag, record)
            try connection.execute("PRAGMA application_id = \(Layout.applicationIdentifier)")
            // Before what begins to use a feature, which has a later one.
            try connection.execute("PRAGMA user_version = \(FileVersion.base.recorded)")
        }
        try addRows(connection)
        try sql { () throws(SQLiteError) in try connection.commit() }
    }
}

extension SQLiteConnection {
    /// Keeps the file from growing beyond what the options allow, and the cache from taking more memory.
    func limit(_ options: StoreOptions) throws(SQLiteError) {
        if let count = options.maximumPageCount { try execute("PRAGMA max_page_count = \(count)") }
        if let size = options.cacheKibibytes { try execute("PRAGMA cache_size = -\(size)") }
    }
}
