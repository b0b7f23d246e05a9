// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainProtection
import KeychainStore

/// Judges the rows of a damaged store, and mends those of which one bit is wrong, or a column that follows from others.
///
/// What is tried counts only if attributes and secret authenticate: nothing else makes a row readable.
struct RowJudge {
    private let sealer: ItemSealer

    /// How many alterations may still be tried, over all rows: a damaged file can have any number of them.
    private var budget = 1 << 17

    init(_ device: Sealer) { sealer = ItemSealer(device) }

    /// What a row is.
    enum Judgement {
        case intact
        /// Its keys are not available, or went with a passcode that was removed.
        case locked
        case destroyed
        /// Another row that has the same item.
        case mended(StoredRow, RowDamage)
        /// With its attributes, if they open.
        case lost(RowDamage, Attributes?)
    }

    mutating func judge(_ salvaged: SalvagedRow) throws(KeychainError) -> Judgement {
        let row = salvaged.row
        let damage: RowDamage
        switch try sealer.condition(of: row) {
        case .intact: return .intact
        case .destroyed: return .destroyed
        case .locked:
            // A column of a wrong shape opens with no key.
            guard salvaged.isWellFormed else { return .lost(.metadata, nil) }
            return .locked
        case .damaged(let found): damage = found
        }
        if let mended = mended(row, damage) { return .mended(mended, damage) }
        guard !row.isOversized, case .content(let metadata) = try sealer.openMetadata(row) else {
            return .lost(damage, nil)
        }
        return .lost(damage, metadata.attributes)
    }

    /// The attributes of a row, if they open.
    func attributes(of row: StoredRow) -> Attributes? {
        (try? sealer.device.openMetadata(of: row))?.attributes
    }

    private mutating func mended(_ row: NumberedRow, _ damage: RowDamage) -> StoredRow? {
        guard !row.isOversized else { return nil }
        // Tags that do not follow from attributes that authenticate.
        if damage == .contradiction, let resealed = sealer.device.resealed(row.row, sealer.tags), isIntact(resealed) {
            return resealed
        }
        guard row.row.former == nil else { return nil }
        if opensMetadata(row.row) {
            guard row.row.secret.count <= Self.longestPart else { return nil }
            return first(Self.flips(of: row.row.secret, \.secret, in: row.row), where: isIntact)
        }
        let clear = Self.otherColumns(row.row, sealer.device.keybag) + Self.flippedColumns(row.row)
        if let mended = first(clear, where: opensMetadata), isIntact(mended) { return mended }
        guard row.row.metadata.count <= Self.longestPart,
            let mended = first(Self.flips(of: row.row.metadata, \.metadata, in: row.row), where: opensMetadata),
            isIntact(mended)
        else { return nil }
        return mended
    }

    /// Longer parts are not tried bit by bit.
    private static let longestPart = 4_096

    private mutating func first(
        _ candidates: some Sequence<StoredRow>,
        where isRight: (StoredRow) -> Bool
    ) -> StoredRow? {
        for candidate in candidates {
            guard budget > 0 else { return nil }
            budget -= 1
            if isRight(candidate) { return candidate }
        }
        return nil
    }

    private func opensMetadata(_ row: StoredRow) -> Bool { (try? sealer.device.openMetadata(of: row)) != nil }

    private func isIntact(_ row: StoredRow) -> Bool {
        (try? sealer.condition(of: NumberedRow(number: 1, row: row, damage: nil))) == .intact
    }

    /// The row with other values in the columns that have few.
    private static func otherColumns(_ row: StoredRow, _ keybag: OpenKeybag) -> [StoredRow] {
        var rows: [StoredRow] = []
        for protection in Accessibility.stored {
            for generation in Set([row.keyGeneration, 1, keybag.passcodeGeneration]) {
                for isTombstone in [false, true] {
                    var other = row
                    (other.protection, other.keyGeneration) = (protection.rawValue, generation)
                    other.isTombstone = isTombstone
                    rows.append(other)
                }
            }
        }
        return rows
    }

    /// The row with one other bit in one of its columns of 16 bytes.
    private static func flippedColumns(_ row: StoredRow) -> [StoredRow] {
        var rows: [StoredRow] = []
        for bit in 0..<Bytes16.count * 8 {
            for path in [\StoredRow.identifier, \.version, \.primaryKeyTag] {
                var other = row
                other[keyPath: path] = flipped(row[keyPath: path], bit)
                rows.append(other)
            }
            for index in row.tags.indices {
                var other = row
                other.tags[index] = AttributeTag(name: row.tags[index].name, tag: flipped(row.tags[index].tag, bit))
                rows.append(other)
            }
        }
        return rows
    }

    private static func flipped(_ value: Bytes16, _ bit: Int) -> Bytes16 {
        var bytes = value.bytes
        bytes[bit / 8] ^= 1 << (bit % 8)
        return Bytes16(bytes) ?? value
    }

    private static func flips(
        of part: [UInt8],
        _ path: WritableKeyPath<StoredRow, [UInt8]>,
        in row: StoredRow
    ) -> some Sequence<StoredRow> {
        (0..<part.count * 8).lazy.map { bit in
            var other = row
            other[keyPath: path][bit / 8] ^= 1 << (bit % 8)
            return other
        }
    }
}
