// SPDX-License-Identifier: Apache-2.0

import CSQLite
import KeychainCore

/// Migrates the tables of an older revision of the format, one revision at a time, all in one transaction.
///
/// A change of the format is handled separately, because rows of locked classes cannot be resealed
/// (``Store/migrate(_:)``).
struct Migrations {
    /// The version that the last step leads to, as ``FileVersion`` records it.
    let target: Int64

    /// The steps from a version to the next, by the initial version.
    let steps: [Int64: [String]]

    /// Those of this version: none, because this is the first revision of the tables.
    ///
    /// A step is never changed after its release, even if ``Layout`` changes.
    static let current = Migrations(target: FileVersion.current.recorded, steps: [:])

    /// Migrates a database of an older version; does nothing to one that is up to date.
    ///
    /// - Returns: The resulting version of the database: the target, or a larger one of a newer program.
    /// - Throws: The error of SQLite; the database is unchanged in that case.
    func run(on connection: SQLiteConnection) throws(SQLiteError) -> Int64 {
        let found = try version(connection)
        guard Self.tables(found) < Self.tables(target) else { return found }
        try connection.begin()
        do throws(SQLiteError) {
            // Another process may have migrated before this one got the lock.
            let start = Self.tables(try version(connection))
            let end = Self.tables(target)
            for version in start..<max(end, start) {
                guard let statements = steps[version] else {
                    throw SQLiteError(code: SQLITE_NOTADB, operation: "migrating from the unknown version \(version)")
                }
                for statement in statements { try connection.execute(statement) }
                try connection.execute("PRAGMA user_version = \(version + 1 < end ? version + 1 : target)")
            }
            try connection.commit()
        } catch {
            if connection.isInTransaction { try? connection.execute("ROLLBACK") }
            throw error
        }
        return try version(connection)
    }

    /// The version of the tables.
    private static func tables(_ recorded: Int64) -> Int64 { recorded < 0 ? recorded : recorded & 0xFFFF }

    private func version(_ connection: SQLiteConnection) throws(SQLiteError) -> Int64 {
        try connection.integer("PRAGMA user_version")
    }
}
