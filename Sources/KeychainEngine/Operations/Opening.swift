// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainProtection
import KeychainStore

/// A row that does not open, found on the way.
struct DamagedRow {
    let row: NumberedRow
    let damage: RowDamage
}

/// The outcome of opening a row.
enum Opened<Content> {
    case content(Content)
    case damaged(DamagedRow)
}

extension Engine {
    /// Opens the attributes of a row.
    ///
    /// - Throws: `errSecInteractionNotAllowed` when its keys are not available; damage is a value, not an error,
    ///   because the row has to be set aside first.
    func openMetadata(_ row: NumberedRow) throws(KeychainError) -> Opened<OpenedMetadata> {
        try opened(row) { () throws(ProtectionError) in try device.openMetadata(of: row.row) }
    }

    /// Opens the attributes of a row, and makes its tags anew to compare them.
    func openMetadata(
        _ row: NumberedRow,
        checking tags: SearchTags
    ) throws(KeychainError) -> Opened<OpenedMetadata> {
        try opened(row) { () throws(ProtectionError) in
            let metadata = try device.openMetadata(of: row.row)
            try device.checkTags(of: row.row, metadata, tags)
            return metadata
        }
    }

    /// Opens the secret of a row, with the key of its application password if it has one.
    func openSecret(
        _ row: NumberedRow,
        _ metadata: OpenedMetadata,
        _ passwordKey: PasswordKey?
    ) throws(KeychainError) -> Opened<SecretBytes?> {
        try opened(row) { () throws(ProtectionError) in
            try device.openSecret(of: row.row, metadata, passwordKey: passwordKey)
        }
    }

    /// What the secret of a row says of its application password; `nil` when it has none.
    func passwordHeader(
        _ row: NumberedRow,
        _ metadata: OpenedMetadata
    ) throws(KeychainError) -> Opened<PasswordHeader?> {
        try opened(row) { () throws(ProtectionError) in try device.passwordHeader(of: row.row, metadata) }
    }

    private func opened<Content>(
        _ row: NumberedRow,
        _ open: () throws(ProtectionError) -> Content
    ) throws(KeychainError) -> Opened<Content> {
        if row.isOversized { return .damaged(DamagedRow(row: row, damage: .oversized)) }
        do throws(ProtectionError) {
            return .content(try open())
        } catch .damagedRow(let damage) {
            return .damaged(DamagedRow(row: row, damage: damage))
        } catch {
            throw KeychainError(error)
        }
    }

    /// Sets damaged rows aside, so that they block nothing else, and says so.
    ///
    /// The rows keep their bytes and their tags: a query that would match nothing else goes on answering
    /// `errSecDecode`, never `errSecItemNotFound`.
    func reportDamage(_ rows: [DamagedRow]) -> KeychainError {
        // If this fails, for example in a read-only store, the next call finds the damage again.
        try? write { (writer) throws(KeychainError) in
            for damaged in rows { try self.quarantine(damaged, writer) }
        }
        return KeychainError(.damagedRow(rows.first?.damage ?? .metadata))
    }

    /// Sets one row aside, unless it changed since it was read.
    ///
    /// - Returns: Whether it was set aside.
    @discardableResult
    func quarantine(_ damaged: DamagedRow, _ writer: RowWriter) throws(KeychainError) -> Bool {
        var same = RowFilter(damaged.row.row.itemClass)
        same.rowNumber = damaged.row.number
        same.includesTombstones = true
        guard try writer.rows(same).first?.row == damaged.row.row else { return false }
        try writer.quarantine(damaged.row, damage: damaged.damage.rawValue)
        return true
    }

    /// The answer for a query that matched no live row: damaged rows in quarantine are not the same as none.
    func nothingFound(_ filter: RowFilter?, _ reader: RowReader) throws(KeychainError) -> KeychainError {
        guard let row = try quarantined(filter, limit: 1, reader).first else {
            return KeychainError(.itemNotFound, "no item matches")
        }
        return KeychainError(.damagedRow(row.damage.flatMap(RowDamage.init(rawValue:)) ?? .metadata))
    }

    /// Rows that match; none for a filter that nothing can match.
    func rows(
        _ filter: RowFilter?,
        limit: Int? = nil,
        _ reader: RowReader
    ) throws(KeychainError) -> [NumberedRow] {
        guard let filter else { return [] }
        return try reader.rows(filter, limit: limit)
    }

    /// Rows in quarantine that match; none for a filter that nothing can match.
    func quarantined(
        _ filter: RowFilter?,
        limit: Int? = nil,
        _ reader: RowReader
    ) throws(KeychainError) -> [NumberedRow] {
        guard let filter else { return [] }
        return try reader.quarantinedRows(filter, limit: limit)
    }
}
