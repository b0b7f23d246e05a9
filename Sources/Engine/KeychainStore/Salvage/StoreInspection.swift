// SPDX-License-Identifier: Apache-2.0

import CSQLite
import KeychainCore
import KeychainHost

/// What SQLite says of a store's file and log, opened to be read alone.
package struct StoreInspection: Sendable {
    /// The defects, in SQLite's words; empty when it finds none.
    package var defects: [String] = []

    /// Inspects the store of a folder: its structure, and its declarations.
    ///
    /// - Parameters:
    ///   - folder: the folder.
    ///   - log: the condition of its log; one that is not the store's own is not read.
    ///   - options: whether the folder may be one that several hosts use.
    /// - Throws: ``KeychainError`` if another process has the store for itself, or the disk cannot be read.
    package init(
        of folder: PrivateDirectory,
        _ log: LogCondition,
        _ options: StoreOptions = StoreOptions()
    ) throws(KeychainError) {
        let place: StorePlace
        do { place = try StorePlace(folder, options) } catch { throw KeychainError(error) }
        defer { place.hostLock?.release() }
        var pauses = Deadline.Pauses(until: Deadline(milliseconds: Self.patienceMilliseconds))
        while true {
            do throws(SQLiteError) {
                try inspect(folder.path(of: Store.fileName), place, log: log, isWritable: folder.isWritable)
                return
            } catch {
                if error.isDamage {
                    defects.append(error.description)
                    return
                }
                // The last process that closes a store removes the index of its log.
                guard error.isBusy || error.primaryCode == SQLITE_CANTOPEN, pauses.wait() else {
                    throw KeychainError(error)
                }
                defects = []
            }
        }
    }

    private mutating func inspect(
        _ path: String,
        _ place: StorePlace,
        log: LogCondition,
        isWritable: Bool
    ) throws(SQLiteError) {
        let connection: SQLiteConnection
        switch place {
        case .foreign: connection = try SQLiteConnection(asItLies: path)
        case .underHostLock: connection = try SQLiteConnection(underHostLock: path)
        case .local:
            connection =
                log.isUsed || log == .unneeded && isWritable
                ? try SQLiteConnection(reading: path) : try SQLiteConnection(asItLies: path)
        }
        defer { connection.close() }
        try inspect(connection)
    }

    private mutating func inspect(_ connection: SQLiteConnection) throws(SQLiteError) {
        guard try connection.integer("PRAGMA application_id") == Layout.applicationIdentifier else {
            throw SQLiteError(code: SQLITE_NOTADB, operation: "looking for the mark of a keychain store")
        }
        try connection.readSchema()
        let version = FileVersion(recorded: try connection.integer("PRAGMA user_version"))
        do throws(SQLiteError) { try Declarations.check(.file, version, in: connection) } catch {
            guard error.isDamage else { throw error }
            defects.append(error.description)
            // What others declare may make values of any size.
            defects += try connection.structuralDefects(limit: Self.limit)
            return
        }
        defects += try connection.readingLargeRows { () throws(SQLiteError) in
            try connection.structuralDefects(limit: Self.limit)
        }
    }

    private static let patienceMilliseconds: Int32 = 5_000

    private static let limit = 100
}
