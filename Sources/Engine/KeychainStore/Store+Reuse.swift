// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// Reuses one store in memory for several keychains, one after the other: its tables and its prepared statements make
/// up most of its cost.
extension Store {
    /// Puts a keybag into a store that has none.
    package func begin(withKeybag keybag: [UInt8]) throws(KeychainError) {
        do { try connection.setKeybag(keybag) } catch { throw KeychainError(error) }
    }

    /// Empties a store in memory: rows of every kind, the keybag, the record of the device, the features in use.
    ///
    /// - Returns: Whether it is like a new one; `false` for a store in files, and for one that is limited or has grown.
    package func clear() -> Bool {
        guard connection.isInMemory, options.maximumPageCount == nil, !connection.isInTransaction,
            !connection.hasSearchIndexes,
            let pages = try? connection.pageCount(), pages <= Self.maximumPages
        else { return false }
        condition = .healthy
        do throws(KeychainError) {
            try write { (writer) throws(KeychainError) in
                try writer.deleteAllRows()
                try writer.setKeybag([])
                try writer.setDeviceRecord(DeviceRecord())
                guard version != .base else { return }
                for feature in StoreFeature.all { try writer.retire(feature) }
            }
            return version == .base
        } catch {
            return false
        }
    }

    /// Pages are not released: a store that was large would stay large.
    private static let maximumPages: Int64 = 128
}

extension SQLiteConnection {
    fileprivate func pageCount() throws(SQLiteError) -> Int64 {
        let statement = try statement(.pageCount, "PRAGMA page_count")
        defer { statement.reset() }
        return try statement.step() ? statement.integer(0) : 0
    }
}
