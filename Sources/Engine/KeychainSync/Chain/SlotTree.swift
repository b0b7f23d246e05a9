// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// The hash tree over all records of a zone: 256 buckets by the first byte of the slot, and a root over them.
package struct SlotTree: Sendable, Hashable {
    /// The hash of the record of each slot.
    package private(set) var records: [Bytes16: SyncDigest] = [:]
    private var slots: [[Bytes16]] = Array(repeating: [], count: bucketCount)
    private var buckets: [SyncDigest] = Array(repeating: SyncDigest(hashing: [0]), count: bucketCount)

    private static let bucketCount = 256

    /// A tree without records.
    package init() {}

    /// The root.
    package var root: SyncDigest { SyncDigest(hashing: [1] + buckets.flatMap(\.bytes)) }

    /// Takes in changes; zeros forget a slot.
    package mutating func apply(_ changes: [SyncCommit.Change]) {
        var touched: Set<Int> = []
        for change in changes {
            let bucket = Int(change.slot.bytes[0])
            touched.insert(bucket)
            if change.hash == .zero {
                records[change.slot] = nil
                slots[bucket].removeAll { $0 == change.slot }
            } else if records.updateValue(change.hash, forKey: change.slot) == nil {
                let place = slots[bucket].firstIndex { change.slot.precedes($0) } ?? slots[bucket].endIndex
                slots[bucket].insert(change.slot, at: place)
            }
        }
        for bucket in touched {
            var bytes: [UInt8] = [0]
            for slot in slots[bucket] { bytes += slot.bytes + (records[slot] ?? .zero).bytes }
            buckets[bucket] = SyncDigest(hashing: bytes)
        }
    }
}
