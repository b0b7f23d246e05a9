// SPDX-License-Identifier: Apache-2.0

import KeychainAudit

/// The records to be written: at most a quarter of them from one program, so that a flood of its requests loses its own
/// records, not those of others.
struct AuditQueue {
    /// The maximum number of records; further ones are lost.
    let most: Int

    /// The number of records that were lost.
    var lost = 0

    private(set) var records: [AuditRecord] = []
    private var counts: [String: Int] = [:]

    private static let share = 4

    init(atMost most: Int) { self.most = most }

    /// Adds a record.
    ///
    /// - Returns: Whether there was room.
    mutating func add(_ record: AuditRecord) -> Bool {
        let count = counts[record.caller.shareName, default: 0]
        guard records.count < most, count < max(1, most / Self.share) else {
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
