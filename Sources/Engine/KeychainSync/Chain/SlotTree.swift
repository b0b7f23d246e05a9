// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// The hash tree over all records of a zone: 256 buckets by the first byte of the slot, and a root over them.
package struct SlotTree: Sendable, Hashable {
    /// The hash of the record of each slot.
    package private(set) var records: [Bytes16: SyncDigest] = [:]
    private var slots: [[Bytes16]] = Array(repeating: [], count: bucketCount)
    /// What the root is made of: the domain byte, and the hashes of the buckets.
    private var buckets: [UInt8]

    private static let bucketCount = 256

    /// A tree without records.
    package init() {
        buckets = [1]
        let empty = SyncDigest(hashing: [0]).bytes
        for _ in 0..<Self.bucketCount { buckets += empty }
    }

    /// A tree of records.
    package init(_ records: [Bytes16: SyncDigest]) {
        self.init()
        apply(records.map { SyncCommit.Change(slot: $0, hash: $1) })
    }

    /// The root.
    package var root: SyncDigest { SyncDigest(hashing: buckets) }

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
            let start = 1 + bucket * SyncDigest.byteCount
            buckets.replaceSubrange(start..<start + SyncDigest.byteCount, with: SyncDigest(hashing: bytes).bytes)
        }
    }
}
