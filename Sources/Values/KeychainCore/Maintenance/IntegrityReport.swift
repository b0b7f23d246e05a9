// SPDX-License-Identifier: Apache-2.0

/// What a check of a keychain found.
public struct IntegrityReport: Sendable, Hashable {
    /// How many rows open, tombstones among them.
    public var intactRows = 0

    /// How many rows cannot be judged, because the device is locked.
    public var lockedRows = 0

    /// How many rows went with an earlier passcode, and wait to be swept away.
    public var destroyedRows = 0

    /// The rows that do not open, and those in quarantine.
    public var damagedRows: [DamagedItem] = []

    /// What SQLite says of the file's structure; empty when it is sound.
    public var structuralDefects: [String] = []

    /// Whether this process keeps the keys out of swap, which the system can refuse (RLIMIT_MEMLOCK).
    public var keysAreLocked = true

    /// Whether nothing is wrong with the store.
    public var isSound: Bool { damagedRows.isEmpty && structuralDefects.isEmpty }

    /// Nothing was found.
    public init() {}

    /// A row that does not open.
    public struct DamagedItem: Sendable, Hashable {
        /// The class.
        public let itemClass: ItemClass
        /// The persistent reference, by which it can be deleted.
        public let persistentReference: [UInt8]
        /// How it fails to open.
        public let damage: String
        /// Whether a call met it before and set it aside.
        public let isQuarantined: Bool

        /// A row.
        public init(itemClass: ItemClass, persistentReference: [UInt8], damage: String, isQuarantined: Bool) {
            self.itemClass = itemClass
            self.persistentReference = persistentReference
            self.damage = damage
            self.isQuarantined = isQuarantined
        }
    }
}
