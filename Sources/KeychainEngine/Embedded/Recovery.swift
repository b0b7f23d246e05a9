// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainProtection
import KeychainStore

extension EmbeddedKeychain {
    /// Takes items out of quarantine that open again, for example after a fault of the memory or of another program.
    ///
    /// An item whose primary key was taken meanwhile stays where it is.
    ///
    /// - Returns: How many items came back.
    @discardableResult
    public func recover() throws(KeychainError) -> Int {
        try withEngine { (engine) throws(KeychainError) in try engine.recover() }
    }
}

extension Engine {
    func recover() throws(KeychainError) -> Int {
        let tags = device.searchTags()
        return try store.write { (writer) throws(KeychainError) in
            var count = 0
            for itemClass in ItemClass.stored {
                var every = RowFilter(itemClass)
                every.includesTombstones = true
                for row in try writer.quarantinedRows(every) where try damage(of: row, tags) == nil {
                    if try writer.release(row) { count += 1 }
                }
            }
            return count
        }
    }

    /// How a row fails to open, attributes or secret; `nil` when it opens.
    func damage(of row: NumberedRow, _ tags: SearchTags) throws(KeychainError) -> RowDamage? {
        switch try openMetadata(row, tags) {
        case .damaged(let damaged): return damaged.damage
        case .content(let metadata):
            if case .damaged(let damaged) = try openSecret(row, metadata) { return damaged.damage }
            return nil
        }
    }
}
