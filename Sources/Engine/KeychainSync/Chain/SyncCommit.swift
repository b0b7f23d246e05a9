// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// A numbered, signed step of a zone (Documentation/SyncFormat.md, "Commit").
package struct SyncCommit: Sendable, Hashable {
    /// A slot, and the hash of its record.
    package struct Change: Sendable, Hashable {
        /// The slot.
        package let slot: Bytes16
        /// The hash of the record; zeros if the slot is forgotten.
        package let hash: SyncDigest

        /// A change.
        package init(slot: Bytes16, hash: SyncDigest) {
            self.slot = slot
            self.hash = hash
        }
    }

    /// The zone.
    package let place: SyncPlace
    /// The number: 1 is the first.
    package let number: UInt64
    /// The hash of the commit before; zeros in the first.
    package let previous: SyncDigest
    /// The hash of the last commit before it whose number is a multiple of 1,000; zeros without one.
    package let checkpoint: SyncDigest
    /// The newest membership entry that the author knew.
    package let membershipSequence: UInt64
    /// Its hash.
    package let membershipHash: SyncDigest
    /// The epoch of the zone after that entry.
    package let epoch: UInt32
    /// Who signed.
    package let author: Bytes16
    /// When, by the author's clock.
    package let date: Timestamp
    /// The root of the tree after the changes.
    package let root: SyncDigest
    /// The changes, in the order of their slots.
    package let changes: [Change]
    /// The bytes, signature included.
    package let bytes: [UInt8]

    /// The hash that the next commit refers to.
    package var hash: SyncDigest { SyncDigest(hashing: bytes) }

    private static let purpose = "commit"
    private static let fixedByteCount = 275
    private static let changeByteCount = 48

    /// The next commit of a chain.
    package init(
        _ changes: [Change],
        after chain: ZoneChain,
        _ log: MembershipLog,
        by identity: SyncIdentity,
        date: Timestamp
    ) throws(SyncFault) {
        let sorted = changes.sorted { $0.slot.precedes($1.slot) }
        guard sorted.count <= SyncFormat.Limit.changes else { throw .tooLarge(.commit) }
        guard sorted.map(\.slot).areAscending else { throw .malformed(.commit) }
        guard let zone = log.state.zones[chain.place.zone] else { throw .place(.commit) }
        var tree = chain.tree
        tree.apply(sorted)
        place = chain.place
        number = chain.number + 1
        previous = chain.hash
        checkpoint = chain.checkpoint
        membershipSequence = log.sequence
        membershipHash = log.hash
        epoch = zone.epoch.number
        author = identity.keys.identifier
        self.date = date
        root = tree.root
        self.changes = sorted
        var body = [UInt8].beginning(.commit) + place.bytes
        body.append(littleEndian: number)
        body.append(previous)
        body.append(checkpoint)
        body.append(littleEndian: membershipSequence)
        body.append(membershipHash)
        body.append(littleEndian: epoch)
        body.append(author)
        body.append(date: date)
        body.append(root)
        body.append(count: sorted.count)
        for change in sorted { body += change.slot.bytes + change.hash.bytes }
        bytes = body + (try identity.signature(Self.purpose, body))
    }

    /// Reads a commit; whether it counts, a ``ZoneChain`` says.
    package init(_ bytes: [UInt8]) throws(SyncFault) {
        guard bytes.count <= Self.fixedByteCount + SyncFormat.Limit.changes * Self.changeByteCount else {
            throw .tooLarge(.commit)
        }
        var reader = try SyncReader(bytes, .commit)
        place = SyncPlace(circle: try reader.identifier(), zone: try reader.identifier())
        number = try reader.integer(UInt64.self)
        previous = try reader.digest()
        checkpoint = try reader.digest()
        membershipSequence = try reader.integer(UInt64.self)
        membershipHash = try reader.digest()
        epoch = try reader.integer(UInt32.self)
        author = try reader.identifier()
        date = try reader.date()
        root = try reader.digest()
        var changes: [Change] = []
        for _ in 0..<(try reader.count(SyncFormat.Limit.changes)) {
            changes.append(Change(slot: try reader.identifier(), hash: try reader.digest()))
        }
        self.changes = changes
        _ = try reader.bytes(SyncMemberKeys.signatureByteCount)
        try reader.end()
        guard number >= 1, changes.map(\.slot).areAscending else { throw reader.fault }
        self.bytes = bytes
    }

    /// Whether its signature is of these keys.
    package func isSigned(by keys: SyncMemberKeys) -> Bool {
        let count = bytes.count - SyncMemberKeys.signatureByteCount
        return keys.isSignature(Array(bytes[count...]), Self.purpose, of: Array(bytes[..<count]))
    }
}
