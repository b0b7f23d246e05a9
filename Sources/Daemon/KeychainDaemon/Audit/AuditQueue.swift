// SPDX-License-Identifier: Apache-2.0

import KeychainAudit

/// The records to be written: at most a quarter of them from one program, so that a flood of its requests loses its own
/// records, not those of others.
struct AuditQueue {
    /// The maximum number of records; further ones are lost.
    let maximum: Int

    /// The number of records that were lost.
    var lost = 0

    private(set) var records: [AuditRecord] = []
    private var counts: [String: Int] = [:]

    private static let share = 4

    init(atMost maximum: Int) { self.maximum = maximum }

    /// Adds a record.
    ///
    /// - Returns: Whether there was room.
    mutating func add(_ record: AuditRecord) -> Bool {
        let count = counts[record.caller.shareName, default: 0]
        guard records.count < maximum, count < max(1, maximum / Self.share) else {
            lost += 1
            return false
        }
        records.append(record)
        counts[record.caller.shareName] = count + 1
        return true
    }

    /// Removes all records, and the number of those that were lost.
    mutating func takeAll() -> (records: [AuditRecord], lost: Int) {
        defer { (records, counts, lost) = ([], [:], 0) }
        return (records, lost)
    }
}
