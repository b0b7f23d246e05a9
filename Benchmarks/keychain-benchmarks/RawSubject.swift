// SPDX-License-Identifier: Apache-2.0

/// SQLite by itself, on a copy of the keychain's own file: the same table, indexes, rows and settings.
///
/// Without a `sealer` it stores bytes as they come. With one, every row costs the least cryptography that two sealed
/// parts can cost. Neither makes search tags: in their place are random bytes, kept in memory.
final class RawSubject: Subject {
    private let database: Database
    private let sealer: Sealer?
    private let layout: RowLayout
    private var tags: [Int: Tags] = [:]
    private var services: [[UInt8]] = []
    private let insertion: RawStatement
    private let byPrimaryKey: RawStatement
    private let byLabel: RawStatement
    private let byAccount: RawStatement
    private let replacement: RawStatement
    private let deletion: RawStatement
    private let begin: RawStatement
    private let commit: RawStatement
    private var random = SystemRandomNumberGenerator()

    /// What an item is found by.
    private struct Tags {
        let primaryKey: [UInt8]
        let label: [UInt8]
        let account: [UInt8]
    }

    init(_ path: String, sealer: Sealer?) throws {
        let database = try Database(path)
        self.database = database
        self.sealer = sealer
        layout = try RowLayout(database)
        func select(_ condition: String) throws -> RawStatement {
            try database.prepare("SELECT id, uuid, version, metadata, secret FROM items_genp WHERE \(condition)")
        }
        byPrimaryKey = try select("pk = ? AND damage IS NULL")
        byLabel = try select("t_labl = ? LIMIT 1")
        byAccount = try select("t_acct = ? LIMIT 1")
        insertion = try database.prepare(layout.insertion)
        replacement = try database.prepare(
            "UPDATE items_genp SET version = ?, metadata = ?, secret = ?, t_mdat = ? WHERE id = ?"
        )
        deletion = try database.prepare("DELETE FROM items_genp WHERE pk = ? AND damage IS NULL")
        begin = try database.prepare("BEGIN IMMEDIATE")
        commit = try database.prepare("COMMIT")
        try readTags()
        if let sealer { try sealEverything(sealer) }
    }

    /// One statement, one transaction.
    func add(_ item: Int) throws {
        let fresh = Tags(primaryKey: bytes16(), label: bytes16(), account: bytes16())
        let (identifier, version) = (bytes16(), bytes16())
        let parts = store(layout.plain(Item(number: item).secret), identifier: identifier, version: version)
        let values = [
            identifier, version, fresh.primaryKey, parts.metadata, parts.secret, fresh.account, fresh.label,
            services[item % services.count], bytes16(), bytes16(),
        ]
        for (index, value) in values.enumerated() { insertion.bind(value, at: index + 1) }
        try insertion.run()
        tags[item] = fresh
    }

    func readByPrimaryKey(_ item: Int) throws { _ = try read(byPrimaryKey, try tags(of: item).primaryKey) }

    func readByLabel(_ item: Int) throws { _ = try read(byLabel, try tags(of: item).label) }

    func readByAccount(_ item: Int) throws { _ = try read(byAccount, try tags(of: item).account) }

    /// One transaction: looks the row up, opens it if it is sealed, seals it again, replaces it.
    func update(_ item: Int) throws {
        try begin.run()
        let row = try read(byPrimaryKey, try tags(of: item).primaryKey)
        let version = bytes16()
        let plain = PlainRow(metadata: row.plain.metadata, secret: Item(number: item).newSecret)
        let parts = store(plain, identifier: row.identifier, version: version)
        for (index, value) in [version, parts.metadata, parts.secret, bytes16()].enumerated() {
            replacement.bind(value, at: index + 1)
        }
        replacement.bind(row.number, at: 5)
        try replacement.run()
        try commit.run()
    }

    func delete(_ item: Int) throws {
        deletion.bind(try tags(of: item).primaryKey, at: 1)
        try deletion.run()
        tags[item] = nil
    }

    private struct Row {
        let number: Int
        let identifier: [UInt8]
        let plain: PlainRow
    }

    private func read(_ statement: RawStatement, _ tag: [UInt8]) throws -> Row {
        statement.bind(tag, at: 1)
        defer { statement.reset() }
        guard try statement.step() else { throw Failure("raw SQLite found nothing") }
        let identifier = Array(statement.blob(1))
        return Row(number: statement.integer(0), identifier: identifier, plain: try open(statement, identifier))
    }

    private func open(_ row: RawStatement, _ identifier: [UInt8]) throws -> PlainRow {
        guard let sealer else { return PlainRow(metadata: Array(row.blob(3)), secret: Array(row.blob(4).suffix(32))) }
        return try sealer.open(
            metadata: row.blob(3),
            secret: row.blob(4),
            associatedData: layout.associatedData(identifier, Array(row.blob(2)))
        )
    }

    /// The two columns of a row: sealed, or bytes of the same length.
    private func store(_ plain: PlainRow, identifier: [UInt8], version: [UInt8]) -> PlainRow {
        sealer?.seal(plain, associatedData: layout.associatedData(identifier, version)) ?? layout.padded(plain)
    }

    private func tags(of item: Int) throws -> Tags {
        guard let tags = tags[item] else { throw Failure("raw SQLite has no item \(item)") }
        return tags
    }

    private func bytes16() -> [UInt8] {
        let words = (random.next() as UInt64, random.next() as UInt64)
        return withUnsafeBytes(of: words) { Array($0) }
    }

    /// Items were added in the order of their numbers, so rows are in that order, too.
    private func readTags() throws {
        let rows = try database.prepare("SELECT pk, t_labl, t_acct, t_svce FROM items_genp ORDER BY id")
        while try rows.step() {
            let account = Array(rows.blob(2))
            tags[tags.count] = Tags(primaryKey: Array(rows.blob(0)), label: Array(rows.blob(1)), account: account)
            if services.count < 100 { services.append(Array(rows.blob(3))) }
        }
    }

    /// Puts parts of the same length, under a key of its own, in place of the keychain's.
    private func sealEverything(_ sealer: Sealer) throws {
        try database.execute("PRAGMA synchronous = OFF; BEGIN IMMEDIATE")
        let change = try database.prepare("UPDATE items_genp SET metadata = ?, secret = ? WHERE id = ?")
        let row = try database.prepare("SELECT uuid, version FROM items_genp WHERE id = ?")
        for number in 1...tags.count {
            row.bind(number, at: 1)
            guard try row.step() else { throw Failure("no row \(number)") }
            let parts = store(
                layout.plain(Item(number: number - 1).secret),
                identifier: Array(row.blob(0)),
                version: Array(row.blob(1))
            )
            row.reset()
            change.bind(parts.metadata, at: 1)
            change.bind(parts.secret, at: 2)
            change.bind(number, at: 3)
            try change.run()
        }
        try database.execute("COMMIT; PRAGMA wal_checkpoint(TRUNCATE); PRAGMA synchronous = FULL")
    }
}
