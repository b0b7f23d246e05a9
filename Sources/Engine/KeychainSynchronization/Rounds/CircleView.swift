// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainSync

/// The verified membership of a circle, as one member of it needs it for one zone.
struct CircleView: Sendable {
    /// The verified entries.
    private(set) var log: MembershipLog
    /// What was signed of the keys of each epoch.
    private(set) var epochs: [UInt32: NewEpoch] = [:]
    /// Which box of an epoch is for this member, and who sealed it.
    private(set) var boxes: [UInt32: (sender: Bytes16, hash: SyncDigest)] = [:]

    private let place: SyncPlace
    private let member: Bytes16

    /// A circle by its first entry.
    init(_ first: MembershipEntry, of member: Bytes16, in place: SyncPlace) throws(SyncFault) {
        log = try MembershipLog(first, circle: place.circle)
        self.place = place
        self.member = member
    }

    /// The zone now; `nil` before its entry.
    var zone: CircleState.Zone? { log.state.zones[place.zone] }

    /// Whether this member is one, and has the keys of the zone.
    var isMember: Bool { log.state.members[member]?.reads(place.zone) ?? false }

    /// Whether its commits count.
    var commits: Bool { log.state.members[member]?.commits(to: place.zone) ?? false }

    /// The members that may hold an item, recovery keys not among them.
    var devices: [Bytes16] { log.state.members.values.filter { $0.commits(to: place.zone) }.map(\.identifier) }

    /// Verifies the next entry, and takes it in.
    mutating func append(_ entry: MembershipEntry) throws(SyncFault) {
        try log.append(entry)
        switch entry.action {
        case .zone(let epoch, _): take([epoch], from: entry.author)
        case .remove(_, _, let epochs), .recovery(_, let epochs), .rotate(let epochs):
            take(epochs, from: entry.author)
        case .add(let added, let grants):
            for grant in grants where added.identifier == member && grant.zone == place.zone {
                boxes[grant.epoch] = (entry.author, grant.hash)
            }
        case .create, .name, .minimumFormat, .leave, .move: break
        }
    }

    private mutating func take(_ taken: [NewEpoch], from author: Bytes16) {
        for epoch in taken where epoch.zone == place.zone {
            epochs[epoch.number] = epoch
            for box in epoch.boxes where box.member == member { boxes[epoch.number] = (author, box.hash) }
        }
    }
}
