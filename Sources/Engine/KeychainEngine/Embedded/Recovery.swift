// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainStore

extension EmbeddedKeychain {
    /// Releases items from quarantine that open again, for example after a memory fault or an error of another program.
    ///
    /// An item whose primary key was taken meanwhile stays in quarantine.
    ///
    /// - Returns: The number of released items.
    @discardableResult
    package func recover() throws(KeychainError) -> Int {
        try withEngine(.changingStored) { (engine) throws(KeychainError) in
            let count = try engine.recover()
            // What is listed beside rows is not authenticated.
            try engine.listLookups()
            return count
        }
    }
}

extension Engine {
    func recover() throws(KeychainError) -> Int {
        try write { (writer) throws(KeychainError) in
            let sealer = ItemSealer(device)
            var count = 0
            for itemClass in ItemClass.stored {
                var every = RowFilter(itemClass)
                every.includesTombstones = true
                for row in try writer.quarantinedRows(every) where try sealer.condition(of: row) == .intact {
                    if try writer.release(row) { count += 1 }
                }
            }
            return count
        }
    }
}
