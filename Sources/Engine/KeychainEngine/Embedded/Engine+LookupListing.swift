// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainProtection
import KeychainStore

/// Lists the lookup attributes of rows that came from elsewhere without what a store keeps beside them, by a repair or
/// a move, and of rows whose lists were altered (Documentation/Format.md, "Lookup attributes").
extension Engine {
    /// Lists such rows if the store says that there may be some and all keys are available, a few in each transaction;
    /// if other processes hold the store, the next unlock continues.
    func listLookupsIfDue() throws(KeychainError) {
        guard store.version.mayUse(.lookupListing),
            try read({ (reader) throws(KeychainError) in try reader.uses(.lookupListing) })
        else { return }
        try listLookups()
    }

    /// Makes what is listed of every row what it has to be, as far as its keys are available.
    func listLookups() throws(KeychainError) {
        var isComplete = true
        for itemClass in LookupMapping.classes {
            var last: Int64 = 0
            while let next = try listLookups(itemClass, after: last, isComplete: &isComplete) { last = next }
        }
        try write { (writer) throws(KeychainError) in
            try writer.unlistMissingRows()
            if isComplete { try writer.recordListedRows() }
        }
    }

    private static let rowsListedAtOnce = 64

    /// - Returns: The number of the last row that was looked at, if there may be more.
    private func listLookups(
        _ itemClass: ItemClass,
        after number: Int64,
        isComplete: inout Bool
    ) throws(KeychainError) -> Int64? {
        var (last, lockedCount) = (Int64?.none, 0)
        try write { (writer) throws(KeychainError) in
            (last, lockedCount) = (nil, 0)
            let sealer = ItemSealer(device)
            var found: [(NumberedRow, LookupDifference)] = []
            var examined = 0
            // Nothing is written while rows are read.
            try writer.forEachRow(of: itemClass, after: number) { (row) throws(KeychainError) in
                (last, examined) = (row.number, examined + 1)
                switch try lookupDifference(of: row, in: writer, sealer) {
                case .none: break
                case .locked: lockedCount += 1
                case let difference: found.append((row, difference))
                }
                return found.count < Self.rowsListedAtOnce && examined < 16 * Self.rowsListedAtOnce
            }
            for (row, difference) in found {
                switch difference {
                case .none, .locked: break
                case .listing(let listed): try writer.list(listed, of: row)
                case .columns(let record):
                    if let sealed = resealed(row, with: record, sealer) { _ = try writer.update(row, to: sealed) }
                }
            }
        }
        if lockedCount > 0 { isComplete = false }
        return last
    }

    /// The row with other lookup attributes; `nil` if it cannot be sealed now.
    private func resealed(_ row: NumberedRow, with record: LookupRecord, _ sealer: ItemSealer) -> StoredRow? {
        guard var opened = try? device.openBackedUp(row.row) else { return nil }
        opened.attributes.lookupRecord = record
        return try? device.sealBackedUp(opened, sealer.tags)
    }

    /// How what is listed of a row differs from what has to be.
    enum LookupDifference {
        case none
        /// That is unknown while its keys are not available.
        case locked
        /// By what should be listed; `nil` for nothing.
        case listing(ListedLookup?)
        /// The lookup attributes are not those of the columns, which a program changed that knows none; these are.
        case columns(LookupRecord)
    }

    /// Compares what is listed of a row with its attributes.
    func lookupDifference(
        of row: NumberedRow,
        in reader: RowReader,
        _ sealer: ItemSealer
    ) throws(KeychainError) -> LookupDifference {
        guard LookupMapping.has(row.row.itemClass), !row.row.isTombstone, !row.isOversized,
            !device.isDestroyed(row.row)
        else { return .none }
        let listed = try reader.listed(row, withTags: true)
        guard case .content(let isLocked) = try sealer.isLocked(row) else { return .none }
        if isLocked { return listed == nil ? .locked : .none }
        guard case .content(let metadata) = try sealer.openMetadata(row) else { return .none }
        let itemClass = row.row.itemClass
        guard let face = LookupFace(metadata.attributes) else { return listed == nil ? .none : .listing(nil) }
        let attributes = face.record.attributes
        if !LookupMapping.agrees(attributes, with: metadata.attributes, of: itemClass) {
            var record = face.record
            record.attributes = LookupMapping.updated(
                attributes,
                of: itemClass,
                from: LookupMapping.columnValues(attributes, of: itemClass),
                to: metadata.attributes
            )
            // What no text can say stays as it is.
            if record != face.record { return .columns(record) }
        }
        let due: ListedLookup?
        do { due = try device.listed(row.row, metadata) } catch { throw KeychainError(error) }
        guard let listed, let due, listed.wholeTag == due.wholeTag, listed.pairTags == due.pairTags,
            device.openFace(listed.face, wholeTag: listed.wholeTag, of: row.row) == face
        else { return .listing(due) }
        return .none
    }
}
