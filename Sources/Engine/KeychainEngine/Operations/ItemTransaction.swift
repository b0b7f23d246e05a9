// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainProtection
import KeychainStore

/// The environment of the item functions in one transaction: the store, the device, and the client's permissions.
class ItemTransaction {
    let rows: RowReader
    let sealer: ItemSealer
    let groups: AccessGroups
    let authorization: Authorization
    let clock: any KeychainClock
    let certificateJudge: (any CertificateJudge)?
    let secretForm: (any SecretForm)?

    init(_ rows: RowReader, engine: Engine, groups: AccessGroups, under authorization: Authorization) {
        self.rows = rows
        sealer = ItemSealer(
            engine.device,
            engine.searchTagCache,
            opensSecrets: authorization.rehearsedRows == nil
        )
        self.groups = groups
        self.authorization = authorization
        clock = engine.clock
        certificateJudge = engine.certificateJudge
        secretForm = engine.secretForm
    }

    var device: Sealer { sealer.device }

    var tags: SearchTags { sealer.tags }

    /// How a function searches for the items that a query selects.
    ///
    /// A delete includes items that were destroyed with a passcode, until they are swept (Semantics, "Passcode").
    func plan(_ query: Query, of function: ItemFunction = .copyMatching) -> SearchPlan {
        SearchPlan(
            query: query,
            groups: function == .copyMatching ? groups.readable : groups.writable,
            destroyedGeneration: function == .delete ? nil : device.keybag.destroyedGeneration
        )
    }

    /// The live rows of a selection, in the order in which they were added.
    func rows(_ selection: RowSelection, limit: Int? = nil) throws(KeychainError) -> [NumberedRow] {
        guard let filter = selection.filter else { return [] }
        return try rows.rows(filter, limit: limit)
    }

    /// The rows of a selection that are in quarantine.
    func quarantinedRows(_ selection: RowSelection, limit: Int? = nil) throws(KeychainError) -> [NumberedRow] {
        guard let filter = selection.filter else { return [] }
        return try rows.quarantinedRows(filter, limit: limit)
    }

    /// The rows of a selection, those in quarantine among them.
    func everyRow(_ selection: RowSelection, sealedParts: Bool = true) throws(KeychainError) -> [NumberedRow] {
        guard let filter = selection.filter else { return [] }
        return try rows.everyRow(filter, sealedParts: sealedParts)
    }

    /// The rows of items that have the digest that a query specifies; all of them if it specifies none.
    ///
    /// - Throws: If there is none, the error of a row that could not be opened, which may be the one.
    func havingDigest(_ rows: [NumberedRow], of query: Query) throws(KeychainError) -> [NumberedRow] {
        guard query.namesDigest else { return rows }
        var matches: [NumberedRow] = []
        var obstacle: KeychainError?
        for row in rows {
            do throws(KeychainError) {
                switch try sealer.openMetadata(row) {
                case .damaged(let damaged): obstacle = obstacle ?? KeychainError(.damagedRow(damaged.damage))
                case .content(let metadata):
                    if query.hasDigest(of: metadata.attributes) { matches.append(row) }
                }
            } catch {
                obstacle = obstacle ?? error
            }
        }
        if matches.isEmpty, let obstacle { throw obstacle }
        return matches
    }

    /// The error if no live row matched: a damaged row in quarantine is not the same as none.
    func nothingFound(_ selection: RowSelection) throws(KeychainError) -> KeychainError {
        guard let row = try quarantinedRows(selection, limit: 1).first else { return selection.absence }
        return KeychainError(quarantined: row)
    }
}

/// A transaction that changes items.
final class ItemWriteTransaction: ItemTransaction {
    let writer: RowWriter
    let random: any RandomSource

    init(_ writer: RowWriter, engine: Engine, groups: AccessGroups, under authorization: Authorization) {
        self.writer = writer
        random = engine.random
        super.init(writer, engine: engine, groups: groups, under: authorization)
    }

    /// Examines the row that has a primary key, and removes it if it may be removed.
    ///
    /// - Returns: The row that had the key: a live row, or a tombstone that was removed; `nil` if a damaged row was
    ///   quarantined, or one that was destroyed with a passcode was removed.
    func removeConflictingRow(_ itemClass: ItemClass, _ primaryKey: SearchTag) throws(KeychainError) -> Predecessor? {
        guard let existing = try row(itemClass, primaryKey) else {
            throw KeychainError(.internalComponent, "a row that is not there claims a primary key")
        }
        if device.isDestroyed(existing.row) {
            try writer.delete(existing)
            return nil
        }
        switch try sealer.openMetadata(existing) {
        case .damaged(let damaged):
            // Otherwise the caller would try again and again.
            guard try writer.quarantine(damaged) else {
                throw KeychainError(
                    .notAvailable,
                    "an index of the store leads to a wrong row; put the store back from a backup"
                )
            }
            return nil
        case .content(let metadata):
            if existing.row.isTombstone { try writer.delete(existing) }
            return Predecessor(
                isTombstone: existing.row.isTombstone,
                identifier: existing.row.identifier,
                modificationDate: metadata.attributes.modificationDate
            )
        }
    }

    /// The row that had a primary key before.
    struct Predecessor {
        let isTombstone: Bool
        let identifier: ItemIdentifier
        let modificationDate: Timestamp?
    }

    /// Whether a live item has a primary key.
    func isTaken(_ itemClass: ItemClass, _ primaryKey: SearchTag) throws(KeychainError) -> Bool {
        guard try row(itemClass, primaryKey) != nil else { return false }
        guard let existing = try removeConflictingRow(itemClass, primaryKey) else { return false }
        return !existing.isTombstone
    }

    private func row(_ itemClass: ItemClass, _ primaryKey: SearchTag) throws(KeychainError) -> NumberedRow? {
        var samePrimaryKey = RowFilter(itemClass)
        samePrimaryKey.primaryKey = primaryKey
        samePrimaryKey.includesTombstones = true
        return try writer.rows(samePrimaryKey, limit: 1).first
    }

    /// The tombstone of a deleted synchronizable item: its primary key and dates, and no secret.
    ///
    /// It is newer than the item, regardless of the clock (Semantics, "Deleting items").
    func tombstone(
        of attributes: Attributes,
        _ itemClass: ItemClass,
        identifier: ItemIdentifier
    ) throws(KeychainError) -> StoredRow {
        let date = clock.now.orJustAfter(attributes.modificationDate)
        return try sealer.tombstone(of: attributes, itemClass, identifier: identifier, date: date)
    }
}

// MARK: - Transactions of the engine

extension Engine {
    /// Runs `body` on one state of the store, for a request that was checked.
    func readItems<Result>(
        for request: CheckedRequest,
        _ authorization: Authorization,
        _ body: (ItemTransaction) throws(KeychainError) -> Result
    ) throws(KeychainError) -> Result {
        if let rows = authorization.rehearsedRows {
            return try body(ItemTransaction(rows, engine: self, groups: request.groups, under: authorization))
        }
        return try read { (reader) throws(KeychainError) in
            authorization.onTransaction?(self, reader)
            return try body(ItemTransaction(reader, engine: self, groups: request.groups, under: authorization))
        }
    }

    /// Runs `body` as one change of the store, for a request that was checked.
    func changeItems<Result>(
        for request: CheckedRequest,
        _ authorization: Authorization,
        _ body: (ItemWriteTransaction) throws(KeychainError) -> Result
    ) throws(KeychainError) -> Result {
        if let rows = authorization.rehearsedRows {
            return try body(ItemWriteTransaction(rows, engine: self, groups: request.groups, under: authorization))
        }
        return try write { (writer) throws(KeychainError) in
            authorization.onTransaction?(self, writer)
            return try body(ItemWriteTransaction(writer, engine: self, groups: request.groups, under: authorization))
        }
    }

    /// Quarantines damaged rows, so that they block nothing else, and reports them.
    ///
    /// The rows keep their bytes and their tags: a query that would match nothing else still fails with `errSecDecode`,
    /// never with `errSecItemNotFound`.
    func reportDamage(_ rows: [DamagedRow], _ authorization: Authorization) -> KeychainError {
        // If this fails, for example in a read-only store, the next call finds the damage again; so does a call after
        // its rehearsal.
        // In a keychain file, which is listed by its attributes, an item with intact attributes stays.
        let aside = owner == .keychainFile ? rows.filter { !$0.damage.isOfSecret } : rows
        if authorization.rehearsedRows == nil, !aside.isEmpty {
            try? write { (writer) throws(KeychainError) in
                for damaged in aside { try writer.quarantine(damaged) }
            }
        }
        return KeychainError(.damagedRow(rows.first?.damage ?? .metadata))
    }
}

extension RowWriter {
    /// Sets one row aside, unless it changed since it was read.
    ///
    /// - Returns: Whether it was set aside.
    @discardableResult
    func quarantine(_ damaged: DamagedRow) throws(KeychainError) -> Bool {
        var same = RowFilter(damaged.row.row.itemClass)
        same.rowNumber = damaged.row.number
        same.includesTombstones = true
        guard try rows(same).first?.row == damaged.row.row else { return false }
        try quarantine(damaged.row, damage: damaged.damage.rawValue)
        return true
    }
}
