// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainStore

/// The conditions that a test imposes on a store.
extension EmbeddedKeychain {
    /// Prevents this process from changing items, or permits it again.
    package func setStoreCondition(_ condition: StoreCondition) { access.setCondition(condition) }

    /// Corrupts stored items, so that they do not open.
    ///
    /// - Parameter reference: the persistent reference of the item; `nil` for all of them.
    /// - Returns: A closure that undoes it.
    /// - Throws: `errSecParam` for a reference of another form, `errSecItemNotFound` if there is no such item.
    package func damage(_ reference: SecretBytes?) throws(KeychainError) -> [DamagedBytes] {
        let reference = try reference.map { (bytes) throws(KeychainError) in try PersistentReference(.data(bytes)) }
        return try withEngine { (engine) throws(KeychainError) in
            try engine.write { (writer) throws(KeychainError) in
                let damaged = try writer.damage { itemClass, identifier in
                    reference == nil || reference == .item(itemClass, identifier)
                }
                guard !damaged.isEmpty || reference == nil else {
                    throw KeychainError(.itemNotFound, "there is no such item to damage")
                }
                return damaged
            }
        }
    }

    /// Undoes ``damage(_:)``.
    package func repair(_ damaged: [DamagedBytes]) throws(KeychainError) {
        try withEngine { (engine) throws(KeychainError) in
            try engine.write { (writer) throws(KeychainError) in try writer.repair(damaged) }
        }
    }

    /// Every stored row, including tombstones and quarantined rows.
    package func storedRows() throws(KeychainError) -> [StoredRow] {
        try withEngine(.observing) { (engine) throws(KeychainError) in
            try engine.read { (reader) throws(KeychainError) in
                var rows: [StoredRow] = []
                for itemClass in ItemClass.stored {
                    var every = RowFilter(itemClass)
                    every.includesTombstones = true
                    rows += try reader.rows(every).map(\.row)
                    rows += try reader.quarantinedRows(every).map(\.row)
                }
                return rows
            }
        }
    }

    /// The number of changes that wait to be made in a group.
    package var waitingChangeCount: Int { access.waitingChangeCount }

    /// Runs `body` while this process has no file of the store open.
    package func whileClosed<Result>(
        _ body: () throws(KeychainError) -> Result
    ) throws(KeychainError) -> Result {
        try access.whileClosed(body)
    }
}
