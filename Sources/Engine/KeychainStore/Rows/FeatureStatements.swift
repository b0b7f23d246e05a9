// SPDX-License-Identifier: Apache-2.0

import CSQLite
import KeychainCore

/// The table of the features that a store uses: there is none in a store that uses no feature
/// (Documentation/Format.md, "Features").
extension SQLiteConnection {
    /// The declaration of the table, which never changes: programs of all revisions read it.
    static let features = DeclaredObject(
        .table,
        "features",
        as: """
            (
                name TEXT PRIMARY KEY,
                revision INTEGER NOT NULL,
                readers INTEGER NOT NULL,
                writers INTEGER NOT NULL
            ) WITHOUT ROWID
            """
    )

    /// The maximum number of features that are read, and the maximum length of a name: both far more than there are.
    private static let (maximumFeatures, longestName) = (255, 64)

    /// The features that the store uses, ordered by name, those of later programs included.
    ///
    /// - Throws: ``SQLiteError`` of damage for a table that no program wrote.
    func usedFeatures() throws(SQLiteError) -> [UsedFeature] {
        let table = "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = '\(Self.features.name)'"
        guard try integer(table) > 0 else { return [] }
        let statement = try prepare(
            """
            SELECT name, revision, readers, writers FROM \(Self.features.name) ORDER BY name
            LIMIT \(Self.maximumFeatures + 1)
            """
        )
        defer { statement.reset() }
        var features: [UsedFeature] = []
        while try statement.step() {
            guard features.count < Self.maximumFeatures, let feature = Self.feature(statement) else {
                throw SQLiteError(code: SQLITE_CORRUPT, operation: "reading the features of the store")
            }
            features.append(feature)
        }
        return features
    }

    /// Has it be found out again which features are in use that statements depend on.
    func forgetFeatures() { (hasLookupLists, keepsHistory) = (nil, nil) }

    /// Whether the store uses a feature.
    func uses(_ feature: StoreFeature) throws(SQLiteError) -> Bool {
        try usedFeatures().contains { $0.name == feature.name }
    }

    /// The feature of a row; `nil` for one that no program wrote.
    private static func feature(_ statement: SQLiteStatement) -> UsedFeature? {
        guard statement.type(0) == .text, (1...3).allSatisfy({ statement.type($0) == .integer }) else { return nil }
        let (name, numbers) = (statement.text(0), (1...3).map { statement.integer($0) })
        let characters = name.utf8.allSatisfy { byte in
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || byte == UInt8(ascii: "-")
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        }
        guard characters, (1...longestName).contains(name.utf8.count), (1...255).contains(numbers[0]),
            numbers[1...].allSatisfy({ (0...numbers[0]).contains($0) })
        else { return nil }
        let version = FileVersion(
            revision: UInt8(numbers[0]),
            readerRevision: UInt8(numbers[1]),
            writerRevision: UInt8(numbers[2])
        )
        let known = StoreFeature.named(name)
        return UsedFeature(name: name, title: known?.title, version: version, removal: known?.removal ?? .unknown)
    }

    /// Begins to use a feature: its tables and indexes, its row, and the version of the store.
    ///
    /// - Returns: Whether the store did not use it before.
    func adopt(_ feature: StoreFeature) throws(SQLiteError) -> Bool {
        let used = try usedFeatures()
        guard !used.contains(where: { $0.name == feature.name }) else { return false }
        if used.isEmpty { try execute(Self.features.creation) }
        for object in feature.objects { try execute(object.creation) }
        let insert = try prepare("INSERT INTO \(Self.features.name) VALUES (?, ?, ?, ?)")
        defer { insert.reset() }
        try insert.bind(feature.name, at: 0)
        try insert.bind(Int64(feature.version.revision), at: 1)
        try insert.bind(Int64(feature.version.readerRevision), at: 2)
        try insert.bind(Int64(feature.version.writerRevision), at: 3)
        try changeOneRow(insert)
        forgetFeatures()
        try recordVersion(of: used + [feature.used])
        return true
    }

    /// Ends the use of a feature; its tables and indexes are removed.
    ///
    /// - Returns: Whether the store used it before.
    func retire(_ feature: StoreFeature) throws(SQLiteError) -> Bool {
        let used = try usedFeatures()
        let rest = used.filter { $0.name != feature.name }
        guard rest.count < used.count else { return false }
        // An index goes before its table.
        for object in feature.objects.reversed() { try execute(object.removal) }
        forgetFeatures()
        if rest.isEmpty {
            try execute(Self.features.removal)
        } else {
            let delete = try prepare("DELETE FROM \(Self.features.name) WHERE name = ?")
            defer { delete.reset() }
            try delete.bind(feature.name, at: 0)
            try changeOneRow(delete)
        }
        try recordVersion(of: rest)
        return true
    }

    private func recordVersion(of features: [UsedFeature]) throws(SQLiteError) {
        let version = features.reduce(FileVersion.base) { $0.including($1.version) }
        try execute("PRAGMA user_version = \(version.recorded)")
        hasChangedVersion = true
    }
}

extension RowReader {
    /// The features that the store uses, ordered by name.
    package func usedFeatures() throws(KeychainError) -> [UsedFeature] {
        try sql { () throws(SQLiteError) in try connection.usedFeatures() }
    }

    /// Whether the store uses a feature.
    package func uses(_ feature: StoreFeature) throws(KeychainError) -> Bool {
        try sql { () throws(SQLiteError) in try connection.uses(feature) }
    }
}

extension RowWriter {
    /// Has the store use a feature from now on, and gives it the revision that has it.
    ///
    /// This belongs into the transaction of the change that needs the feature. It does nothing if the store uses it.
    package func adopt(_ feature: StoreFeature) throws(KeychainError) {
        _ = try sql { () throws(SQLiteError) in try connection.adopt(feature) }
    }

    /// Begins to use a feature, or ends its use, if that is not so already.
    package func record(_ feature: StoreFeature, isUsed: Bool) throws(KeychainError) {
        if isUsed { try adopt(feature) } else { try retire(feature) }
    }

    /// Ends the use of all features that came after a revision, unless one of them is only ended by the user.
    ///
    /// - Returns: The features that were removed, or those that prevent it; nothing is changed if there are any.
    package func retireFeatures(
        after revision: UInt8
    ) throws(KeychainError) -> (removed: [UsedFeature], obstacles: [UsedFeature]) {
        let later = try usedFeatures().filter { $0.version.revision > revision }
        let obstacles = later.filter { $0.removal != .automatic }
        guard obstacles.isEmpty else { return ([], obstacles) }
        for used in later {
            if let feature = StoreFeature.named(used.name) { try retire(feature) }
        }
        return (later, [])
    }

    /// Ends the use of a feature, with the tables and indexes that belong to it.
    package func retire(_ feature: StoreFeature) throws(KeychainError) {
        _ = try sql { () throws(SQLiteError) in try connection.retire(feature) }
    }
}
