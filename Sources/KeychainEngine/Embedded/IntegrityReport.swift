// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainProtection
import KeychainStore

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
    }
}

extension EmbeddedKeychain {
    /// Checks the structure of the file and authenticates every row, attributes and secret, as far as the device gives
    /// out the keys.
    ///
    /// Changes nothing. What is under an application password is authenticated as it is stored.
    ///
    /// - Complexity: Reads the whole store.
    public func check() throws(KeychainError) -> IntegrityReport {
        try withEngine(.reading) { (engine) throws(KeychainError) in try engine.check() }
    }
}

extension Engine {
    func check() throws(KeychainError) -> IntegrityReport {
        var report = IntegrityReport()
        report.structuralDefects = try store.structuralDefects()
        try read { (reader) throws(KeychainError) in
            report.keysAreLocked = device.keybag.keysAreLocked
            let sealer = ItemSealer(device)
            for itemClass in ItemClass.stored {
                var every = RowFilter(itemClass)
                every.includesTombstones = true
                for row in try reader.rows(every) { try judge(row, sealer, &report) }
                for row in try reader.quarantinedRows(every) { try judge(row, sealer, &report) }
            }
        }
        return report
    }

    private func judge(
        _ row: NumberedRow,
        _ sealer: ItemSealer,
        _ report: inout IntegrityReport
    ) throws(KeychainError) {
        let damage: RowDamage?
        switch try sealer.condition(of: row) {
        // A part that was too large is gone since, so that the reason can only be remembered.
        case .damaged(let found): damage = row.damage == RowDamage.oversized.rawValue ? .oversized : found
        case .intact where row.damage == nil:
            report.intactRows += 1
            return
        case .locked where row.damage == nil:
            report.lockedRows += 1
            return
        case .destroyed:
            report.destroyedRows += 1
            return
        case .intact, .locked: damage = nil
        }
        report.damagedRows.append(
            .init(
                itemClass: row.row.itemClass,
                persistentReference: PersistentReference.bytes(row.row.itemClass, row.row.identifier).unprotectedCopy,
                damage: damage.map { "\($0)" } ?? "none that could be seen now: recover() brings back what opens again",
                isQuarantined: row.damage != nil
            )
        )
    }
}
