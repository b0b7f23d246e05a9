// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// What decides between two versions of one slot: the date, then the digest.
package struct SyncVersion: Sendable, Hashable {
    /// When it was changed.
    package let date: Timestamp
    /// The digest of its content.
    package let digest: SyncDigest

    /// A version.
    package init(date: Timestamp, digest: SyncDigest) {
        self.date = date
        self.digest = digest
    }

    /// Whether this one stays where both are known: it is newer, or of the same date with the smaller digest.
    package func wins(over other: SyncVersion) -> Bool {
        date == other.date ? digest < other.digest : date > other.date
    }

    /// The one that stays.
    package func merged(with other: SyncVersion) -> SyncVersion { other.wins(over: self) ? other : self }

    /// What an arriving version does.
    package enum Outcome: Sendable, Hashable {
        /// Both are the same.
        case same
        /// It replaces the local one.
        case replace(listsLoser: Bool)
        /// The local one stays, and is sent.
        case keep
    }

    /// What an arriving version does to a local one.
    ///
    /// - Parameters:
    ///   - local: the local item or tombstone; `nil` without any.
    ///   - hasUnsent: whether the local one is a change of this device that nobody else has.
    /// - Returns: What to do; a loser that nobody else has is listed as overwritten.
    package func arriving(at local: SyncVersion?, hasUnsent: Bool) -> Outcome {
        guard let local else { return .replace(listsLoser: false) }
        if local == self { return .same }
        return wins(over: local) ? .replace(listsLoser: hasUnsent) : .keep
    }

    /// The date of a local change: later than every date that is known for the slot, so that it never loses to what was
    /// seen before it.
    package static func date(now: Timestamp, after known: [Timestamp]) -> Timestamp {
        now.orJustAfter(known.max())
    }

    /// What happens to a local item whose slot is absent from a verified zone.
    package enum Absence: Sendable, Hashable {
        /// Somebody deleted it, and its tombstone is forgotten.
        case delete
        /// It is new here, or was changed here: it is sent.
        case send
    }

    /// The rule for absent slots.
    package static func absent(wasSynchronized: Bool, changedSince: Bool) -> Absence {
        wasSynchronized && !changedSince ? .delete : .send
    }

    /// Whether a tombstone may be forgotten: every member has seen it, or it is 180 days old.
    package static func mayForget(
        tombstone number: UInt64,
        madeAt date: Timestamp,
        confirmed: [UInt64],
        now: Timestamp
    ) -> Bool {
        confirmed.allSatisfy { $0 >= number }
            || now.secondsSinceReferenceDate - date.secondsSinceReferenceDate >= horizon
    }

    private static let horizon = 180.0 * 86_400
}
