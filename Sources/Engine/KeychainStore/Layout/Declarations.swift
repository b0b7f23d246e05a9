// SPDX-License-Identifier: Apache-2.0

import CSQLite
import KeychainCore

/// The declarations of this package's databases: tables and indexes, literally, and nothing else.
///
/// A file may have any origin, and SQLite obeys its schema: with a different declaration of a table, it could accept a
/// row, report success, and store nothing.
struct Declarations: Sendable {
    private let necessary: Set<String>
    private let possible: Set<String>

    /// Collects the declarations of statements.
    ///
    /// - Parameters:
    ///   - statements: the declarations.
    ///   - additions: optional declarations.
    /// - Throws: ``SQLiteError`` if SQLite cannot create the tables.
    private init(_ statements: [String], orAlso additions: [String] = []) throws(SQLiteError) {
        let connection = try SQLiteConnection(path: nil)
        for statement in statements { try connection.execute(statement) }
        necessary = Set(try connection.declarations())
        for statement in additions { try connection.execute(statement) }
        possible = Set(try connection.declarations())
    }

    /// The location of tables.
    enum Kind {
        /// In the file of a store.
        case file
        /// In a store in memory, which has indexes for searches once it has many rows.
        case memory
        /// In a backup.
        case backup
    }

    /// Checks that a database has the declarations of a version of this format, or of the previous format, and of the
    /// features that it uses.
    ///
    /// - Returns: Whether it has any optional declarations.
    /// - Throws: ``SQLiteError`` of `SQLITE_NOTADB` if it has any other declaration, or lacks one.
    @discardableResult
    static func check(
        _ kind: Kind,
        _ version: FileVersion,
        in connection: SQLiteConnection
    ) throws(SQLiteError) -> Bool {
        guard let declared = known(kind, version.version) else {
            throw SQLiteError(code: SQLITE_NOTADB, operation: "looking for a version that was released")
        }
        let expected = try declared.get()
        return try connection.readingSchema { () throws(SQLiteError) in
            try compare(with: expected, kind, version, in: connection)
        }
    }

    private static func compare(
        with expected: Declarations,
        _ kind: Kind,
        _ version: FileVersion,
        in connection: SQLiteConnection
    ) throws(SQLiteError) -> Bool {
        var list = try connection.declarations()
        if kind != .backup, version.version > FileFormat.baseVersion {
            let own = try featureDeclarations(of: version, in: connection)
            list.removeAll { own.contains($0) }
        }
        let found = Set(list)
        if let missing = expected.necessary.subtracting(found).min() {
            throw difference("'\(missing.split(separator: " ")[1])' is not as it was")
        }
        guard list.count == found.count, found.isSubset(of: expected.possible) else { throw more }
        return found != expected.necessary
    }

    /// The declarations of the features that a store uses.
    ///
    /// - Throws: ``SQLiteError`` of `SQLITE_NOTADB` if the store does not have all of them, records an unknown feature,
    ///   or has another version than they make up.
    private static func featureDeclarations(
        of version: FileVersion,
        in connection: SQLiteConnection
    ) throws(SQLiteError) -> Set<String> {
        let found = Set(try connection.declarations())
        let table = SQLiteConnection.features
        guard found.contains(table.declaration) else { throw difference("'\(table.name)' is not as it was") }
        var (own, total) = (Set([table.declaration]), FileVersion.base)
        for used in try connection.usedFeatures() {
            guard let feature = StoreFeature.named(used.name), feature.used == used else {
                throw difference("the feature '\(used.name)' is not as it was")
            }
            total = total.including(feature.version)
            for object in feature.objects {
                guard found.contains(object.declaration) else { throw difference("'\(object.name)' is not as it was") }
                own.insert(object.declaration)
            }
        }
        guard total == version else { throw difference("the version is not that of the features") }
        return own
    }

    /// Checks that a store of a later revision has our tables, and neither views nor triggers; its columns and indexes
    /// are unknown.
    static func checkLater(in connection: SQLiteConnection) throws(SQLiteError) {
        let foreign = "SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE type NOT IN ('table', 'index'))"
        let tables = [Layout.keybag, Layout.device] + ItemClass.stored.map(Layout.table)
        let names = tables.map { "'\($0)'" }.joined(separator: ", ")
        let own = "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name IN (\(names))"
        let (others, found) = try connection.readingSchema { () throws(SQLiteError) in
            try (connection.integer(foreign), connection.integer(own))
        }
        guard others == 0, found == Int64(tables.count) else { throw more }
    }

    private static var more: SQLiteError { difference("there is something else") }

    private static func difference(_ what: String) -> SQLiteError {
        SQLiteError(code: SQLITE_NOTADB, operation: "comparing the tables of a keychain store, where \(what)")
    }

    private typealias Made = Result<Declarations, SQLiteError>

    /// The declarations of a version, without those of features; those of an unreleased version are unknown.
    private static func known(_ kind: Kind, _ version: UInt16) -> Made? {
        let revisions = FileFormat.baseVersion...FileFormat.version
        return switch (kind, version) {
        case (.file, revisions): file
        case (.file, FileFormat.formerVersion): formerFile
        case (.memory, revisions): memory
        case (.memory, FileFormat.formerVersion): formerMemory
        case (.backup, FileFormat.baseVersion): backup
        case (.backup, BackupLayout.versionsWithFiles): backupWithFiles
        case (.backup, FileFormat.formerVersion): formerBackup
        default: nil
        }
    }

    // Statistics, which someone may have created, change only the order in which SQLite searches.
    private static let file = Made { () throws(SQLiteError) in
        try Declarations(Layout.creation(), orAlso: ["ANALYZE"])
    }
    private static let formerFile = Made { () throws(SQLiteError) in
        try Declarations(Layout.creation(FileFormat.formerVersion), orAlso: ["ANALYZE"])
    }
    private static let memory = Made { () throws(SQLiteError) in
        try Declarations(Layout.creationInMemory(), orAlso: searchIndexes)
    }
    private static let formerMemory = Made { () throws(SQLiteError) in
        try Declarations(Layout.creationInMemory(FileFormat.formerVersion), orAlso: searchIndexes)
    }
    private static let backup = Made { () throws(SQLiteError) in
        try Declarations(BackupLayout.creation(FileFormat.baseVersion))
    }
    private static let backupWithFiles = Made { () throws(SQLiteError) in
        try Declarations(BackupLayout.creation(BackupLayout.highestVersion.version))
    }
    private static let formerBackup = Made { () throws(SQLiteError) in
        try Declarations(BackupLayout.creation(FileFormat.formerVersion))
    }

    private static var searchIndexes: [String] { ItemClass.stored.flatMap { Layout.searchIndexes($0) } }
}

extension SQLiteConnection {
    /// The declarations of the database: tables and indexes, and anything else that was added to it.
    ///
    /// Read within the bounds of a schema, each has a limited length, and there is a limited number of them.
    fileprivate func declarations() throws(SQLiteError) -> [String] {
        let statement = try prepare(
            "SELECT type || ' ' || name || ' ' || tbl_name || ' ' || coalesce(sql, '') FROM sqlite_schema"
        )
        defer { statement.reset() }
        var found: [String] = []
        while try statement.step() { found.append(statement.text(0)) }
        return found
    }
}
