// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainProtection
import KeychainStore

/// The requirements for a row to be moved: senders skip other rows, and receivers refuse them.
extension MovedRow {
    /// Why no store accepts the row; `nil` if one does.
    var defect: String? {
        guard ItemClass.stored.contains(row.itemClass) else { return "there is no such table" }
        guard Self.numbers.contains(number) else { return "the number is not valid" }
        guard damage.map({ RowDamage(rawValue: $0) != nil }) ?? true else { return "the mark is unknown" }
        guard Accessibility(rawValue: row.protection).map(Accessibility.stored.contains) == true else {
            return "the protection class is unknown"
        }
        guard row.secret.count <= ItemLimits.partByteCount, row.metadata.count <= ItemLimits.partByteCount,
            row.former?.count ?? 0 <= Self.formerByteCount
        else { return "a part is too large" }
        var known = ItemSchema.of(row.itemClass).searchableNames[...]
        for tag in row.tags {
            guard let index = known.firstIndex(of: tag.name) else { return "a column is unknown" }
            known = known[(index + 1)...]
        }
        return nil
    }

    /// Row numbers after which there is room for more.
    private static let numbers: ClosedRange<Int64> = 1...(1 << 62)

    /// A tag of a row of the format before, sealed.
    private static let formerByteCount = 44
}

extension RowReader {
    /// Passes every row that can be moved to `body`, as ``forEachMovedRow(after:_:)``.
    ///
    /// - Returns: The number of rows that cannot be moved, up to the row at which it stopped.
    @discardableResult
    func forEachMovableRow(
        after place: MovedRow.Place? = nil,
        _ body: (MovedRow) throws(KeychainError) -> Bool
    ) throws(KeychainError) -> Int {
        var damagedCount = 0
        try forEachMovedRow(after: place) { (row) throws(KeychainError) in
            guard let row, row.defect == nil else {
                damagedCount += 1
                return true
            }
            return try body(row)
        }
        return damagedCount
    }

    /// A summary of all rows that can be moved.
    ///
    /// - Throws: ``KeychainError``, for example if ``MoveLimits`` are exceeded.
    func movedRows() throws(KeychainError) -> MovedRows {
        var digest = RowDigest()
        var counts = [Int](repeating: 0, count: ItemClass.stored.count)
        var byteCount = 0
        let damagedCount = try forEachMovableRow { (row) throws(KeychainError) in
            digest.add(row)
            if let table = ItemClass.stored.firstIndex(of: row.row.itemClass) { counts[table] += 1 }
            byteCount += row.row.byteCount
            guard byteCount <= MoveLimits.byteCount else { throw .moveTooLarge }
            return true
        }
        guard counts.reduce(0, +) <= MoveLimits.rowCount else { throw .moveTooLarge }
        return MovedRows(counts: counts, byteCount: byteCount, digest: digest.finish(), damagedCount: damagedCount)
    }
}
