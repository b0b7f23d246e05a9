// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainSync

/// What a device notes of a zone, in memory: for simulated devices and tests.
package final class MemoryBook: SyncBook {
    /// All that is noted: a copy of it undoes a transaction.
    package struct Contents: Sendable {
        /// How far the zone was verified.
        package var progress: SyncProgress
        fileprivate var keys: [UInt32: ZoneKeys] = [:]
        fileprivate var slots: [Bytes16: SlotState] = [:]
        fileprivate var outgoing: [OutgoingChange] = []
        fileprivate var waiting: [Bytes16: WaitingRecord] = [:]

        /// The beginning.
        package init(_ place: SyncPlace) { progress = SyncProgress(place) }

        /// What nobody else has.
        package var outgoingSlots: [Bytes16] { outgoing.map(\.slot) }

        /// What is not applied.
        package var waitingRecords: [WaitingRecord] { waiting.values.sorted { $0.slot.precedes($1.slot) } }
    }

    /// What is noted.
    package private(set) var contents: Contents
    private let onStep: () throws -> Void

    /// A book.
    ///
    /// - Parameters:
    ///   - contents: what is noted before.
    ///   - onStep: called before each change: what it throws ends the transaction there.
    package init(_ contents: Contents, onStep: @escaping () throws -> Void = {}) {
        self.contents = contents
        self.onStep = onStep
    }

    package func progress() -> SyncProgress { contents.progress }

    package func setProgress(_ progress: SyncProgress) throws {
        try onStep()
        contents.progress = progress
    }

    package func keys(of epoch: UInt32) -> ZoneKeys? { contents.keys[epoch] }

    package func latestKeys() -> ZoneKeys? { contents.keys.max { $0.key < $1.key }?.value }

    package func addKeys(_ keys: ZoneKeys) throws {
        try onStep()
        contents.keys[keys.epoch] = keys
    }

    package func eraseKeys() throws {
        try onStep()
        contents.keys = [:]
    }

    package func slots() -> [Bytes16: SlotState] { contents.slots }

    package func slot(_ slot: Bytes16) -> SlotState? { contents.slots[slot] }

    package func setSlot(_ slot: Bytes16, _ state: SlotState?) throws {
        try onStep()
        contents.slots[slot] = state
    }

    package func outgoing() -> [OutgoingChange] { contents.outgoing }

    package func outgoing(at slot: Bytes16) -> OutgoingChange? { contents.outgoing.first { $0.slot == slot } }

    package func queue(_ change: OutgoingChange) throws {
        try onStep()
        contents.outgoing.removeAll { $0.slot == change.slot }
        contents.outgoing.append(change)
    }

    package func replace(_ record: SyncRecord, at slot: Bytes16) throws {
        try onStep()
        for index in contents.outgoing.indices where contents.outgoing[index].slot == slot {
            contents.outgoing[index].record = record
        }
    }

    package func unqueue(_ slot: Bytes16) throws {
        try onStep()
        contents.outgoing.removeAll { $0.slot == slot }
    }

    package func waiting() -> [WaitingRecord] { contents.waitingRecords }

    package func waiting(at slot: Bytes16) -> WaitingRecord? { contents.waiting[slot] }

    package func keep(_ record: WaitingRecord) throws {
        try onStep()
        contents.waiting[record.slot] = record
    }

    package func dropWaiting(_ slot: Bytes16) throws {
        guard contents.waiting[slot] != nil else { return }
        try onStep()
        contents.waiting[slot] = nil
    }
}
