// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// What a device has verified of the commits of a zone.
package struct ZoneChain: Sendable, Hashable {
    /// The zone.
    package let place: SyncPlace
    /// The number of the last commit; 0 before the first.
    package private(set) var number: UInt64 = 0
    /// Its hash.
    package private(set) var hash = SyncDigest.zero
    /// The hash of the last checkpoint, which the next commit names.
    package private(set) var checkpoint = SyncDigest.zero
    /// The membership entry that the last commit referred to.
    package private(set) var membershipSequence: UInt64 = 0
    /// The records.
    package private(set) var tree = SlotTree()

    private static let checkpointInterval: UInt64 = 1_000

    /// A zone before its first commit.
    package init(_ place: SyncPlace) { self.place = place }

    /// A zone of which a device has noted how far it verified it.
    ///
    /// - Parameters:
    ///   - place: the zone.
    ///   - mark: the last commit.
    ///   - records: the hash of the record of each slot after it.
    package init(_ place: SyncPlace, at mark: ChainMark, records: [Bytes16: SyncDigest]) {
        self.place = place
        number = mark.number
        hash = mark.hash
        checkpoint = mark.checkpoint
        membershipSequence = mark.membershipSequence
        tree = SlotTree(records)
    }

    /// How far the zone is verified.
    package var mark: ChainMark {
        ChainMark(number: number, hash: hash, checkpoint: checkpoint, membershipSequence: membershipSequence)
    }

    /// What a device notes, and gives to one that joins.
    package var anchor: ZoneAnchor {
        ZoneAnchor(zone: place.zone, number: number, hash: hash, root: tree.root)
    }

    /// Verifies the next commit, and takes it in: C1, C2, C3 and C5 of the format.
    package mutating func append(_ commit: SyncCommit, _ log: MembershipLog) throws(SyncFault) {
        guard commit.place == place else { throw .place(.commit) }
        // C2: number, hash and checkpoint follow.
        guard commit.number == number + 1, commit.previous == hash, commit.checkpoint == checkpoint else {
            throw .sequence(.commit)
        }
        try check(commit, log)
        var next = tree
        next.apply(commit.changes)
        try take(commit, next)
    }

    /// Verifies a later commit without those before it, because the log was shortened, by all records that there are:
    /// C1, C3 and C5 of the format.
    package mutating func jump(
        to commit: SyncCommit,
        _ log: MembershipLog,
        records: [Bytes16: SyncDigest]
    ) throws(SyncFault) {
        guard commit.place == place else { throw .place(.commit) }
        guard commit.number > number else { throw .sequence(.commit) }
        try check(commit, log)
        try take(commit, SlotTree(records))
        if !number.isMultiple(of: Self.checkpointInterval) { checkpoint = commit.checkpoint }
    }

    private func check(_ commit: SyncCommit, _ log: MembershipLog) throws(SyncFault) {
        // Never an earlier entry than that of the commit before: so a removed member stays out.
        guard commit.membershipSequence >= membershipSequence, let state = log.state(at: commit.membershipSequence),
            state.hash == commit.membershipHash
        else { throw .membership }
        // C1: signed, by a member that may write then.
        guard let author = state.members[commit.author], author.commits(to: place.zone) else {
            throw .author(.commit)
        }
        guard commit.isSigned(by: author.keys) else { throw .signature(.commit) }
        // C3: the epoch is the current one.
        guard let zone = state.zones[place.zone], zone.epoch.number == commit.epoch, !zone.owesEpoch else {
            throw .epoch
        }
    }

    private mutating func take(_ commit: SyncCommit, _ next: SlotTree) throws(SyncFault) {
        // C5: the root is our own.
        guard next.root == commit.root else { throw .root }
        tree = next
        number = commit.number
        hash = commit.hash
        membershipSequence = commit.membershipSequence
        if number.isMultiple(of: Self.checkpointInterval) { checkpoint = hash }
    }

    /// C4: which of the records that were read are those that the commits name last; the others were altered or
    /// withheld, and nothing of their slots is applied.
    package func sound(
        _ records: [Bytes16: [UInt8]],
        of commits: [SyncCommit]
    ) -> (records: [Bytes16: SyncRecord], damaged: [Bytes16]) {
        var sound: [Bytes16: SyncRecord] = [:]
        var damaged: [Bytes16] = []
        for slot in Set(commits.flatMap(\.changes).map(\.slot)).inOrder {
            guard let hash = tree.records[slot] else { continue }
            if let bytes = records[slot], bytes.count <= SyncFormat.Limit.recordByteCount,
                SyncDigest(hashing: bytes) == hash, let record = try? SyncRecord(bytes)
            {
                sound[slot] = record
            } else {
                damaged.append(slot)
            }
        }
        return (sound, damaged)
    }
}

/// How far a device has verified a zone, as it notes it for its next start.
package struct ChainMark: Sendable, Hashable {
    /// The number of the last commit; 0 before the first.
    package let number: UInt64
    /// Its hash.
    package let hash: SyncDigest
    /// The hash of the last checkpoint.
    package let checkpoint: SyncDigest
    /// The membership entry that the last commit referred to.
    package let membershipSequence: UInt64

    /// A mark.
    package init(number: UInt64, hash: SyncDigest, checkpoint: SyncDigest, membershipSequence: UInt64) {
        self.number = number
        self.hash = hash
        self.checkpoint = checkpoint
        self.membershipSequence = membershipSequence
    }

    /// Before the first commit.
    package static let start = ChainMark(number: 0, hash: .zero, checkpoint: .zero, membershipSequence: 0)
}

/// A position in a zone that was verified.
package struct ZoneAnchor: Sendable, Hashable {
    /// The zone.
    package let zone: Bytes16
    /// The number of the commit.
    package let number: UInt64
    /// Its hash.
    package let hash: SyncDigest
    /// The root after it.
    package let root: SyncDigest

    /// An anchor.
    package init(zone: Bytes16, number: UInt64, hash: SyncDigest, root: SyncDigest) {
        self.zone = zone
        self.number = number
        self.hash = hash
        self.root = root
    }

    init(_ reader: inout SyncReader) throws(SyncFault) {
        zone = try reader.identifier()
        number = try reader.integer(UInt64.self)
        hash = try reader.digest()
        root = try reader.digest()
    }

    var encoded: [UInt8] {
        var bytes = zone.bytes
        bytes.append(littleEndian: number)
        bytes.append(hash)
        bytes.append(root)
        return bytes
    }

    /// What an engine shows, compared with what was verified before.
    package enum Verdict: Sendable, Hashable {
        /// The same history.
        case consistent
        /// There is less than there was: the engine was rolled back.
        case rolledBack
        /// There is another commit of this number.
        case forked
    }

    /// Judges an engine by the number of its newest commit, and the hash of its commit of our number.
    ///
    /// - Parameters:
    ///   - newest: the greatest number; 0 without commits.
    ///   - hash: the hash of the commit of this number; `nil` if the log was shortened and it is gone.
    /// - Returns: The verdict. A commit that is gone is no alarm: the next one and the root are checked.
    package func judge(newest: UInt64, hash: SyncDigest?) -> Verdict {
        if newest < number { return .rolledBack }
        if let hash, number > 0, hash != self.hash { return .forked }
        return .consistent
    }

    /// Compares with what another device has verified: two commits of one number are a fork.
    package func judge(_ other: ZoneAnchor) -> Verdict {
        guard other.zone == zone, other.number == number else { return .consistent }
        return other.hash == hash && other.root == root ? .consistent : .forked
    }
}
