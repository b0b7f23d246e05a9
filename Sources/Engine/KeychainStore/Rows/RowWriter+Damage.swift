// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// A row whose attributes were damaged for a test, and what they were.
package struct DamagedBytes: Sendable, Hashable {
    fileprivate let itemClass: ItemClass
    fileprivate let number: Int64
    fileprivate let original: [UInt8]
    fileprivate let altered: [UInt8]
}

extension RowWriter {
    /// Corrupts the sealed attributes of rows, so that they do not open.
    ///
    /// - Returns: The information to undo it.
    package func damage(
        where isMeant: (ItemClass, ItemIdentifier) -> Bool
    ) throws(KeychainError) -> [DamagedBytes] {
        var damaged: [DamagedBytes] = []
        do throws(SQLiteError) {
            for itemClass in ItemClass.stored {
                let rows = try connection.everyRow(itemClass)
                while try rows.next() {
                    guard let row = rows.row, isMeant(itemClass, row.row.identifier) else { continue }
                    let original = row.row.metadata
                    let altered = original.dropLast() + [~(original.last ?? 0)]
                    damaged.append(
                        DamagedBytes(
                            itemClass: itemClass,
                            number: row.number,
                            original: original,
                            altered: Array(altered)
                        )
                    )
                }
            }
            for row in damaged { _ = try set(row.altered, in: row, insteadOf: row.original) }
        } catch {
            throw KeychainError(error)
        }
        return damaged
    }

    /// Undoes ``damage(where:)`` for the rows that still exist, and releases them from quarantine.
    ///
    /// A row whose primary key was taken meanwhile stays in quarantine.
    package func repair(_ damaged: [DamagedBytes]) throws(KeychainError) {
        do throws(SQLiteError) {
            for row in damaged {
                guard try set(row.original, in: row, insteadOf: row.altered) else { continue }
                do throws(SQLiteError) {
                    try connection.mark(row.itemClass, row.number, damage: nil)
                } catch {
                    guard error.isUniqueViolation else { throw error }
                }
            }
        } catch {
            throw KeychainError(error)
        }
    }

    /// - Returns: Whether the row exists, with the old bytes.
    private func set(_ new: [UInt8], in row: DamagedBytes, insteadOf old: [UInt8]) throws(SQLiteError) -> Bool {
        let statement = try connection.prepare(
            """
            UPDATE \(Layout.table(row.itemClass)) SET \(Layout.metadata) = ?
            WHERE \(Layout.rowNumber) = ? AND \(Layout.metadata) = ?
            """
        )
        try statement.bind(new, at: 0)
        try statement.bind(row.number, at: 1)
        try statement.bind(old, at: 2)
        _ = try statement.step()
        return connection.changes == 1
    }
}
