// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// The signed part of new keys of a zone: commitments, the earlier keys, and the hash of each box.
package struct NewEpoch: Sendable, Hashable {
    /// A member, and the hash of its box.
    package struct Box: Sendable, Hashable {
        /// The member.
        package let member: Bytes16
        /// The hash of its box.
        package let hash: SyncDigest

        /// A member's box.
        package init(member: Bytes16, hash: SyncDigest) {
            self.member = member
            self.hash = hash
        }
    }

    /// The zone.
    package let zone: Bytes16
    /// The number: 1 is the first.
    package let number: UInt32
    /// The commitments to the keys A, C and of slots.
    package let commitments: [SyncDigest]
    /// The class keys of the epoch before, wrapped; zeros in the first.
    package let earlierKeys: [UInt8]
    /// The number of recipients.
    package let recipientCount: UInt32
    /// The root of the tree of their boxes; zeros without any.
    package let recipientRoot: SyncDigest
    /// The boxes of the members, in the order of their identifiers.
    package let boxes: [Box]

    static let wrappedByteCount = 80
    static let none = [UInt8](repeating: 0, count: wrappedByteCount)

    var slotCommitment: SyncDigest { commitments[2] }

    /// What an entry says of keys.
    package init(
        _ keys: ZoneKeys,
        after former: ZoneKeys?,
        in place: SyncPlace,
        boxes: [Box],
        recipients: BoxTree? = nil
    ) throws(SyncFault) {
        zone = place.zone
        number = keys.epoch
        commitments = keys.commitments(in: place)
        earlierKeys = try former.map { former throws(SyncFault) in try keys.wrapping(former, in: place) } ?? Self.none
        recipientCount = UInt32(recipients?.count ?? 0)
        recipientRoot = recipients?.root ?? .zero
        self.boxes = boxes.sorted { $0.member.precedes($1.member) }
        guard (number == 1) == (former == nil), former == nil || former?.epoch == number - 1 else { throw .epoch }
    }

    init(_ reader: inout SyncReader) throws(SyncFault) {
        zone = try reader.identifier()
        number = try reader.integer(UInt32.self)
        commitments = [try reader.digest(), try reader.digest(), try reader.digest()]
        earlierKeys = try reader.bytes(Self.wrappedByteCount)
        recipientCount = try reader.integer(UInt32.self)
        recipientRoot = try reader.digest()
        guard recipientCount <= SyncFormat.Limit.recipients else { throw .tooLarge(reader.structure) }
        var boxes: [Box] = []
        for _ in 0..<(try reader.count(SyncFormat.Limit.members)) {
            boxes.append(Box(member: try reader.identifier(), hash: try reader.digest()))
        }
        self.boxes = boxes
        guard number >= 1, boxes.map(\.member).areAscending, (recipientCount == 0) == (recipientRoot == .zero),
            (number == 1) == (earlierKeys == Self.none)
        else { throw reader.fault }
    }

    var encoded: [UInt8] {
        var bytes = zone.bytes
        bytes.append(littleEndian: number)
        for commitment in commitments { bytes.append(commitment) }
        bytes += earlierKeys
        bytes.append(littleEndian: recipientCount)
        bytes.append(recipientRoot)
        bytes.append(count: boxes.count)
        for box in boxes { bytes += box.member.bytes + box.hash.bytes }
        return bytes
    }
}

/// The box of a new member for the current epoch of a zone.
package struct KeyGrant: Sendable, Hashable {
    /// The zone.
    package let zone: Bytes16
    /// The epoch.
    package let epoch: UInt32
    /// The hash of the box.
    package let hash: SyncDigest

    /// A grant.
    package init(zone: Bytes16, epoch: UInt32, hash: SyncDigest) {
        self.zone = zone
        self.epoch = epoch
        self.hash = hash
    }

    init(_ reader: inout SyncReader) throws(SyncFault) {
        zone = try reader.identifier()
        epoch = try reader.integer(UInt32.self)
        hash = try reader.digest()
    }

    var encoded: [UInt8] {
        var bytes = zone.bytes
        bytes.append(littleEndian: epoch)
        bytes.append(hash)
        return bytes
    }
}
