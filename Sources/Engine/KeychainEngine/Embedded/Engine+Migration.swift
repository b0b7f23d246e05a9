// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainProtection
import KeychainStore

/// From the format before to this one (Documentation/Format.md, "From format 2").
extension Engine {
    /// Migrates the store to the current format, if it is writable; locked rows keep their seal until they are
    /// unlocked.
    ///
    /// The device must have just been read by a transaction.
    ///
    /// - Throws: An error if another process holds the store. On any other failure it stays as it is, and is only read.
    func migrate() throws(KeychainError) {
        guard store.hasFormerTables else { return }
        let (sealer, tags) = (device, device.searchTags())
        do throws(KeychainError) {
            try store.migrate { (row) throws(KeychainError) in
                do throws(ProtectionError) {
                    return try sealer.migrate(row.row, isInQuarantine: row.damage != nil, tags)
                } catch {
                    throw KeychainError(error)
                }
            }
        } catch {
            if error.isBusy { throw error }
            store.obstacle = error
            return
        }
        // If the log cannot be emptied of the old data now, that happens later.
        try? eraseLog()
    }

    /// Reseals the rows that are still sealed in the previous format and whose keys are available, a few in each
    /// transaction; if other processes hold the store, the next unlock continues.
    func resealFormerRows() throws(KeychainError) {
        guard try read({ (reader) throws(KeychainError) in try reader.hasFormerRows() }) else { return }
        for itemClass in ItemClass.stored {
            var last: Int64 = 0
            while let number = try resealFormerRows(itemClass, after: last) { last = number }
        }
        try eraseLog()
    }

    private static let rowsOfTransaction = 64

    /// - Returns: The number of the last row that was examined; `nil` if there was none.
    private func resealFormerRows(_ itemClass: ItemClass, after number: Int64) throws(KeychainError) -> Int64? {
        try write { (writer) throws(KeychainError) in
            let (sealer, tags) = (device, device.searchTags())
            let rows = try writer.formerRows(
                itemClass,
                Accessibility.stored.filter(sealer.isAvailable).map(\.rawValue),
                after: number,
                limit: Self.rowsOfTransaction
            )
            var hasChanged = false
            for row in rows where !row.isOversized {
                // A row that does not open is reported when it is read.
                guard let new = sealer.resealed(row.row, tags) else { continue }
                hasChanged = try writer.update(row, to: new) || hasChanged
            }
            if hasChanged {
                var record = try writer.deviceRecord()
                record.owesLogErasure = true
                try writer.setDeviceRecord(record)
            }
            return rows.last?.number
        }
    }
}
