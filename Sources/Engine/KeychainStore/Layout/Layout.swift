// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// The tables of the file, written from the schema of the item classes (Documentation/Format.md, "Tables").
enum Layout {
    /// The version of the tables that are created; features add to them (``StoreFeature``).
    static let version = FileFormat.baseVersion

    /// The first version that was released: those below are of format 1.
    static let firstVersion: Int64 = 0x0200

    /// Marks the file as ours in `PRAGMA application_id`: "SKCH".
    static let applicationIdentifier: Int64 = 0x534B_4348

    static let keybag = "keybag"
    static let device = "device"

    static let rowNumber = "id"
    static let identifier = "uuid"
    static let protection = "protection"
    static let tombstone = "tombstone"
    static let keyGeneration = "generation"
    static let version16 = "version"
    static let primaryKey = "pk"
    static let damage = "damage"
    static let former = "former"
    static let metadata = "metadata"
    static let secret = "secret"

    static func table(_ itemClass: ItemClass) -> String { "items_\(itemClass.rawValue)" }

    static func column(_ name: AttributeName) -> String { "t_\(name)" }

    static func placeholders(_ count: Int) -> String {
        Array(repeating: "?", count: count).joined(separator: ", ")
    }

    /// The statements that make an empty store.
    static func creation(_ version: UInt16 = version) -> [String] {
        [keybagTable, deviceTable]
            + ItemClass.stored.flatMap { itemTable($0, version) + laterIndexes($0, version) }
    }

    /// The indexes of a class that nothing but speed depends on, of a store in a file.
    static func laterIndexes(_ itemClass: ItemClass, _ version: UInt16 = version) -> [String] {
        searchIndexes(itemClass) + (hasFormer(version) ? [formerIndex(itemClass)] : [])
    }

    /// The rows of the previous format: none in a store that this version created.
    ///
    /// An update does not change its column, so that the index has no cost for it.
    private static func formerIndex(_ itemClass: ItemClass) -> String {
        let table = table(itemClass)
        return "CREATE INDEX \(table)_former ON \(table) (\(damage)) WHERE \(former) IS NOT NULL"
    }

    /// The statements that create an empty store in memory: the same columns, without the constraints that SQLite would
    /// check only because of a file's unknown origin, and without the indexes that make searches faster.
    static func creationInMemory(_ version: UInt16 = version) -> [String] {
        [keybagTable, deviceTable] + ItemClass.stored.flatMap { itemTableInMemory($0, version) }
    }

    /// The table of a class in memory as a version creates it, and its unique indexes.
    static func itemTableInMemory(_ itemClass: ItemClass, _ version: UInt16 = version) -> [String] {
        let table = table(itemClass)
        let columns =
            ["\(rowNumber) INTEGER PRIMARY KEY", "\(identifier) UNIQUE"]
            + [protection, tombstone, keyGeneration, version16, primaryKey, damage]
            + (hasFormer(version) ? [former] : [])
            + ItemSchema.of(itemClass).searchableNames(in: version).map(column) + [metadata, secret]
        return ["CREATE TABLE \(table) (\(columns.joined(separator: ", ")))", primaryKeyIndex(table)]
    }

    /// Whether the tables of a version distinguish rows of the previous format.
    static func hasFormer(_ version: UInt16) -> Bool { version > FileFormat.formerVersion }

    static let keybagTable = "CREATE TABLE \(keybag) (id INTEGER PRIMARY KEY CHECK (id = 1), bytes BLOB NOT NULL)"

    private static let deviceTable = """
        CREATE TABLE \(device) (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            keybag_revision INTEGER NOT NULL,
            failed_attempts INTEGER NOT NULL,
            interrupted_attempts INTEGER NOT NULL,
            last_attempt_boot TEXT,
            last_attempt_seconds REAL,
            last_attempt_date REAL,
            auto_lock_seconds INTEGER,
            erase_after_attempts INTEGER,
            owes_log_erasure INTEGER NOT NULL
        )
        """

    /// The table of a class as a version creates it, and its unique indexes.
    static func itemTable(_ itemClass: ItemClass, _ version: UInt16 = version) -> [String] {
        let table = table(itemClass)
        let tags = ItemSchema.of(itemClass).searchableNames(in: version).map { "\(column($0)) BLOB" }
        let columns = (hasFormer(version) ? ["\(former) BLOB"] : []) + tags
        let create = """
            CREATE TABLE \(table) (
                \(rowNumber) INTEGER PRIMARY KEY,
                \(identifier) BLOB NOT NULL,
                \(protection) TEXT NOT NULL,
                \(tombstone) INTEGER NOT NULL,
                \(keyGeneration) INTEGER NOT NULL,
                \(version16) BLOB NOT NULL,
                \(primaryKey) BLOB NOT NULL,
                \(damage) INTEGER,
                \(columns.joined(separator: ",\n    ")),
                \(metadata) BLOB NOT NULL,
                \(secret) BLOB NOT NULL
            )
            """
        // A row in quarantine keeps its bytes, but not its claim on the primary key.
        let unique = [
            primaryKeyIndex(table),
            "CREATE UNIQUE INDEX \(table)_uuid ON \(table) (\(identifier))",
        ]
        return [create] + unique
    }

    private static func primaryKeyIndex(_ table: String) -> String {
        "CREATE UNIQUE INDEX \(table)_pk ON \(table) (\(primaryKey)) WHERE \(damage) IS NULL"
    }

    /// The indexes that make searches faster.
    static func searchIndexes(_ itemClass: ItemClass, ifMissing: Bool = false) -> [String] {
        let schema = ItemSchema.of(itemClass)
        let table = table(itemClass)
        return schema.indexes.map { columns in
            let create = ifMissing ? "CREATE INDEX IF NOT EXISTS" : "CREATE INDEX"
            return "\(create) \(index(table, columns, isPartial: schema[columns[0]]?.defaultValue == nil))"
        }
    }

    /// An index; on an optional attribute, it contains only the rows that have it.
    private static func index(_ table: String, _ names: [AttributeName], isPartial: Bool) -> String {
        let name = "\(table)_\(names.map(\.description).joined(separator: "_"))"
        let columns = names.map(column)
        let condition = isPartial ? " WHERE \(columns[0]) IS NOT NULL" : ""
        return "\(name) ON \(table) (\(columns.joined(separator: ", ")))\(condition)"
    }
}
