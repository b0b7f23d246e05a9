// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainProtection
import KeychainStore

/// From the format before to this one (Documentation/Format.md, "From format 2").
extension Engine {
    /// Brings the store up to date, where it can be changed; what is locked keeps its seal until it is unlocked.
    ///
    /// For a device that a transaction has just looked at.
    ///
    /// - Throws: That another process has the store. For any other reason it stays as it is, and is only read.
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
        // What the log had of it is emptied later where it cannot be now.
        try? eraseLog()
    }

    /// Seals the rows anew that are still as the format before sealed them and whose keys are there, a few in each
    /// transaction; where the store is held by others, the next unlock goes on.
    func resealFormerRows() throws(KeychainError) {
        guard try read({ (reader) throws(KeychainError) in try reader.hasFormerRows() }) else { return }
        for itemClass in ItemClass.stored {
            var last: Int64 = 0
            while let number = try resealFormerRows(itemClass, after: last) { last = number }
        }
        try eraseLog()
    }

    private static let rowsOfTransaction = 64

    /// - Returns: The number of the last row that was looked at; `nil` when there was none.
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
                // One that does not open is told of when it is read.
                guard let new = sealer.sealedAnew(row.row, tags) else { continue }
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
