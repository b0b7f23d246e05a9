// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainProtection
import KeychainStore

/// What a check of a keychain found.
public struct IntegrityReport: Sendable, Hashable {
    /// How many rows open, tombstones among them.
    public var intactRows = 0

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
    /// Checks the structure of the file and authenticates every row, attributes and secret.
    ///
    /// Changes nothing.
    ///
    /// - Complexity: Reads the whole store.
    public func check() throws(KeychainError) -> IntegrityReport {
        try withEngine { (engine) throws(KeychainError) in try engine.check() }
    }
}

extension Engine {
    func check() throws(KeychainError) -> IntegrityReport {
        var report = IntegrityReport()
        report.structuralDefects = try store.structuralDefects()
        report.keysAreLocked = device.keysAreLocked
        let tags = device.searchTags()
        try store.read { (reader) throws(KeychainError) in
            for itemClass in ItemClass.stored {
                var every = RowFilter(itemClass)
                every.includesTombstones = true
                for row in try rows(every, reader) { try judge(row, tags, &report) }
                for row in try quarantined(every, reader) { try judge(row, tags, &report) }
            }
        }
        return report
    }

    private func judge(
        _ row: NumberedRow,
        _ tags: SearchTags,
        _ report: inout IntegrityReport
    ) throws(KeychainError) {
        let damage = try damage(of: row, tags)
        guard damage != nil || row.damage != nil else {
            report.intactRows += 1
            return
        }
        report.damagedRows.append(
            .init(
                itemClass: row.row.itemClass,
                persistentReference: PersistentReference.bytes(row.row.itemClass, row.row.identifier).unprotectedCopy,
                damage: damage.map { "\($0)" } ?? "none any more: recover() brings it back",
                isQuarantined: row.damage != nil
            )
        )
    }
}
