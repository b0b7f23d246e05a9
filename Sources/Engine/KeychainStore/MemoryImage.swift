// SPDX-License-Identifier: Apache-2.0

import CSQLite
import Glibc
import KeychainCore

/// The image of an empty store without a keybag, the initial state of every store in memory.
///
/// Loading it takes a fraction of the time for creating the tables. It contains no key, and stores have nothing in
/// common through it except for their tables.
enum MemoryImage {
    private static let image = Result { () throws(SQLiteError) in try make() }

    /// A connection to a store of its own; its keybag is empty.
    static func connection() throws(SQLiteError) -> SQLiteConnection {
        let connection = try SQLiteConnection(path: nil)
        try connection.load(try image.get())
        return connection
    }

    private static func make() throws(SQLiteError) -> [UInt8] {
        let connection = try SQLiteConnection(path: nil)
        try connection.begin()
        for statement in Layout.creationInMemory() { try connection.execute(statement) }
        try connection.insert(keybag: [], DeviceRecord())
        try connection.execute("PRAGMA application_id = \(Layout.applicationIdentifier)")
        try connection.execute("PRAGMA user_version = \(FileVersion.base.recorded)")
        try connection.commit()
        return try connection.image()
    }
}

extension SQLiteConnection {
    /// The bytes of the database.
    func image() throws(SQLiteError) -> [UInt8] {
        try withHandle { handle throws(SQLiteError) in
            var count: sqlite3_int64 = 0
            guard let bytes = sqlite3_serialize(handle, "main", &count, 0) else {
                throw SQLiteError(code: SQLITE_NOMEM, operation: "writing the image of a store")
            }
            defer { sqlite3_free(bytes) }
            return Array(UnsafeBufferPointer(start: bytes, count: Int(count)))
        }
    }

    /// Puts the bytes of another database in place of this one.
    func load(_ image: [UInt8]) throws(SQLiteError) {
        try withHandle { handle throws(SQLiteError) in
            guard let copy = sqlite3_malloc64(UInt64(image.count)) else {
                throw SQLiteError(code: SQLITE_NOMEM, operation: "loading the image of a store")
            }
            image.withUnsafeBytes {
                copy.copyMemory(from: $0.baseAddress ?? UnsafeRawPointer(copy), byteCount: $0.count)
            }
            // SQLite frees the copy, also when it fails.
            let status = sqlite3_deserialize(
                handle,
                "main",
                copy.assumingMemoryBound(to: UInt8.self),
                sqlite3_int64(image.count),
                sqlite3_int64(image.count),
                UInt32(SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_RESIZEABLE)
            )
            guard status == SQLITE_OK else {
                throw SQLiteError(code: status, operation: "loading the image of a store")
            }
        }
        // The previous setting of the database.
        try execute("PRAGMA secure_delete = ON")
    }
}
