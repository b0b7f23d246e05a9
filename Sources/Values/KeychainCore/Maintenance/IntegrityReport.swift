// SPDX-License-Identifier: Apache-2.0

/// The result of a check of a keychain.
package struct IntegrityReport: Sendable, Hashable {
    /// How many rows open, tombstones among them.
    package var intactRows = 0

    /// The number of rows that cannot be checked, because the device is locked.
    package var lockedRows = 0

    /// The number of rows that were destroyed with an earlier passcode, and wait to be swept.
    package var destroyedRows = 0

    /// The rows that do not open, and those in quarantine.
    package var damagedRows: [DamagedItem] = []

    /// SQLite's report on the file's structure; empty if it is sound.
    package var structuralDefects: [String] = []

    /// Whether this process keeps the keys out of swap, which the system can refuse (RLIMIT_MEMLOCK).
    package var keysAreLocked = true

    /// Whether nothing is wrong with the store.
    package var isSound: Bool { damagedRows.isEmpty && structuralDefects.isEmpty }

    /// Nothing was found.
    package init() {}

    /// A row that does not open.
    package struct DamagedItem: Sendable, Hashable {
        /// The class.
        package let itemClass: ItemClass
        /// The persistent reference, by which it can be deleted.
        package let persistentReference: [UInt8]
        /// How it fails to open.
        package let damage: String
        /// Whether a call met it before and set it aside.
        package let isQuarantined: Bool

        /// A row.
        package init(itemClass: ItemClass, persistentReference: [UInt8], damage: String, isQuarantined: Bool) {
            self.itemClass = itemClass
            self.persistentReference = persistentReference
            self.damage = damage
            self.isQuarantined = isQuarantined
        }
    }
}
