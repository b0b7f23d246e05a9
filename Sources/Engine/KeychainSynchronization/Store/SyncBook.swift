// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainSync

/// What a device notes of a zone beside its items, in the same transactions as these.
///
/// A store that never joined a circle has none.
package protocol SyncBook: AnyObject {
    /// How far the zone was verified.
    func progress() throws -> SyncProgress
    /// Notes how far the zone was verified.
    func setProgress(_ progress: SyncProgress) throws

    /// The keys of an epoch; `nil` if they are not known.
    func keys(of epoch: UInt32) throws -> ZoneKeys?
    /// The keys of the latest epoch that is known.
    func latestKeys() throws -> ZoneKeys?
    /// Notes keys.
    func addKeys(_ keys: ZoneKeys) throws
    /// Erases all keys.
    func eraseKeys() throws

    /// What the circle has at each slot.
    func slots() throws -> [Bytes16: SlotState]
    /// What the circle has at a slot.
    func slot(_ slot: Bytes16) throws -> SlotState?
    /// Notes what the circle has at a slot.
    func setSlot(_ slot: Bytes16, _ state: SlotState?) throws

    /// The changes of this device that nobody else has, in their order.
    func outgoing() throws -> [OutgoingChange]
    /// The change at a slot that nobody else has.
    func outgoing(at slot: Bytes16) throws -> OutgoingChange?
    /// Puts a change behind all others; one of the same slot goes.
    func queue(_ change: OutgoingChange) throws
    /// Seals a change anew, in its place.
    func replace(_ record: SyncRecord, at slot: Bytes16) throws
    /// Takes a change out.
    func unqueue(_ slot: Bytes16) throws

    /// The records that are not applied.
    func waiting() throws -> [WaitingRecord]
    /// The record of a slot that is not applied.
    func waiting(at slot: Bytes16) throws -> WaitingRecord?
    /// Keeps a record that is not applied, in place of an earlier one.
    func keep(_ record: WaitingRecord) throws
    /// Forgets a record that was not applied.
    func dropWaiting(_ slot: Bytes16) throws
}

/// How far a device is with a zone.
package struct SyncProgress: Sendable, Hashable {
    /// The zone.
    package let place: SyncPlace
    /// The last commit whose changes are applied.
    package var mark = ChainMark.start
    /// The number of the newest membership entry that was verified; `nil` before the first.
    package var membershipSequence: UInt64?
    /// Its hash.
    package var membershipHash = SyncDigest.zero
    /// What stops the zone, in both directions, until a person decides.
    package var alarm: SyncAlarm?
    /// Whether items may be here that are in no queue: after joining, and after what could not be sealed while locked.
    package var owesEnlisting = true
    /// When this device told the others how far it is.
    package var beaconDate: Timestamp?

    /// The beginning.
    package init(_ place: SyncPlace) { self.place = place }
}

/// Why a zone is stopped.
package enum SyncAlarm: String, Sendable, Hashable, CaseIterable {
    /// The engine has less than it had.
    case rolledBack = "rolled back"
    /// The engine shows another history than the one that was verified.
    case forked
    /// The root of a commit is not that of its changes: its author's program is wrong, or lies.
    case diverged
    /// It is not the circle that was asked for.
    case otherCircle = "another circle"
    /// This device is no member any more.
    case removed
}

/// What the circle has at a slot.
package struct SlotState: Sendable, Hashable {
    /// The hash of the record.
    package var hash: SyncDigest
    /// The last commit that names it.
    package var number: UInt64
    /// What an engine sees of the record.
    package var shape: SyncRecord.Shape?
    /// The version that this device and the circle last had in common; `nil` for none.
    package var agreed: SyncVersion?

    /// What the circle has.
    package init(hash: SyncDigest, number: UInt64, shape: SyncRecord.Shape?, agreed: SyncVersion?) {
        self.hash = hash
        self.number = number
        self.shape = shape
        self.agreed = agreed
    }
}

/// A change of this device that nobody else has, sealed when it was made, so that it can be sent while locked.
package struct OutgoingChange: Sendable, Hashable {
    /// The slot.
    package let slot: Bytes16
    /// The local transaction: its changes stay together.
    package let group: UInt64
    /// The sealed item or tombstone.
    package var record: SyncRecord
    /// Its date and digest.
    package let version: SyncVersion

    /// A change.
    package init(slot: Bytes16, group: UInt64, record: SyncRecord, version: SyncVersion) {
        self.slot = slot
        self.group = group
        self.record = record
        self.version = version
    }
}

/// A record that is verified but not applied.
package struct WaitingRecord: Sendable, Hashable {
    /// Why it waits.
    package enum Reason: UInt8, Sendable, Hashable, CaseIterable {
        /// Its key is not there while the device is locked, or its epoch is not known yet.
        case locked = 0
        /// The engine does not have it: it was altered or withheld.
        case withheld = 1
        /// It does not open.
        case closed = 2
        /// It is no item that this device stores.
        case refused = 3
    }

    /// The slot.
    package let slot: Bytes16
    /// The record; `nil` if the engine does not have it.
    package let record: SyncRecord?
    /// The author of the commit.
    package let author: Bytes16
    /// Why it waits.
    package let reason: Reason

    /// A record that waits.
    package init(slot: Bytes16, record: SyncRecord?, author: Bytes16, reason: Reason) {
        self.slot = slot
        self.record = record
        self.author = author
        self.reason = reason
    }
}
