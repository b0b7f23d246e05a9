// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// Who is in a circle, and which keys its zones have, after one entry.
package struct CircleState: Sendable, Hashable {
    /// A zone after an entry.
    package struct Zone: Sendable, Hashable {
        /// The epoch of its keys.
        package let epoch: NewEpoch
        /// Whether somebody left since: nothing is committed until there are new keys.
        package var owesEpoch: Bool
    }

    /// The members by their identifiers.
    package fileprivate(set) var members: [Bytes16: SyncMember]
    /// The zones by their identifiers.
    package fileprivate(set) var zones: [Bytes16: Zone] = [:]
    /// The earliest version that takes part.
    package fileprivate(set) var minimumFormat: UInt8 = 0
    /// Whether the circle is at another engine.
    package fileprivate(set) var hasMoved = false
    /// The hash of the entry.
    package fileprivate(set) var hash: SyncDigest

    /// The members that have the keys of a zone, in order.
    package func readers(of zone: Bytes16) -> [SyncMember] {
        members.keys.inOrder.compactMap { members[$0] }.filter { $0.reads(zone) }
    }

    /// The member with the recovery key; `nil` without one.
    package var recovery: SyncMember? { members.values.first { $0.role == .recovery } }
}

/// The verified entries of a circle.
package struct MembershipLog: Sendable, Hashable {
    /// The circle.
    package let circle: Bytes16

    /// What holds after each entry.
    private var states: [CircleState]

    /// What holds now.
    package var state: CircleState { states[states.count - 1] }

    /// The number of the newest entry.
    package var sequence: UInt64 { UInt64(states.count - 1) }

    /// Its hash.
    package var hash: SyncDigest { state.hash }

    /// What held after an entry; `nil` for one that is not there yet.
    package func state(at sequence: UInt64) -> CircleState? {
        sequence < UInt64(states.count) ? states[Int(sequence)] : nil
    }

    /// A log that begins with the first entry of the circle that was asked for.
    package init(_ first: MembershipEntry, circle: Bytes16) throws(SyncFault) {
        guard first.circle == circle, first.namesItsCircle else { throw .place(.entry) }
        guard first.sequence == 0, first.previous == .zero else { throw .sequence(.entry) }
        guard case .create(_, let keys) = first.action, keys.identifier == first.author else {
            throw .author(.entry)
        }
        guard first.isSigned(by: keys) else { throw .signature(.entry) }
        self.circle = circle
        states = [
            CircleState(members: [keys.identifier: SyncMember(founder: keys)], hash: first.hash)
        ]
    }

    /// Verifies the next entry, and takes it in.
    package mutating func append(_ entry: MembershipEntry) throws(SyncFault) {
        guard entry.circle == circle else { throw .place(.entry) }
        guard entry.sequence == sequence + 1, entry.previous == hash else { throw .sequence(.entry) }
        guard states.count < SyncFormat.Limit.entries else { throw .tooLarge(.entry) }
        guard let author = state.members[entry.author] else { throw .author(.entry) }
        guard entry.isSigned(by: author.keys) else { throw .signature(.entry) }
        var next = state
        guard !next.hasMoved else { throw .contradiction("the circle has moved") }
        try next.apply(entry.action, by: author, in: circle)
        next.hash = entry.hash
        states.append(next)
    }
}

extension CircleState {
    fileprivate mutating func apply(
        _ action: MembershipEntry.Action,
        by author: SyncMember,
        in circle: Bytes16
    ) throws(SyncFault) {
        guard author.may(action) else { throw .author(.entry) }
        switch action {
        case .create: throw .sequence(.entry)
        case .add(let member, let grants): try add(member, grants, in: circle)
        case .remove(let identifier, _, let epochs): try remove(identifier, epochs, by: author)
        case .recovery(let member, let epochs):
            guard member.role == .recovery else { throw .contradiction("the member is no recovery key") }
            if let former = recovery { members[former.identifier] = nil }
            try take(member, in: circle)
            try renew(epochs, Set(zones.keys))
        case .rotate(let epochs):
            guard !epochs.isEmpty else { throw .contradiction("nothing rotates") }
            try renew(epochs, nil)
        case .name(let identifier, let name):
            guard members[identifier] != nil else { throw .contradiction("the named one is no member") }
            try check(name)
        case .zone(let epoch, let description):
            guard zones[epoch.zone] == nil, zones.count < SyncFormat.Limit.zones else {
                throw .contradiction("the zone exists, or is one too many")
            }
            guard epoch.number == 1 else { throw .epoch }
            try checkBoxes(epoch)
            zones[epoch.zone] = Zone(epoch: epoch, owesEpoch: false)
            try check(description)
        case .minimumFormat(let version):
            guard version >= minimumFormat, version <= SyncFormat.version else {
                throw .newerFormat(.entry, version)
            }
            minimumFormat = version
        case .leave:
            members[author.identifier] = nil
            try requireOwner()
            for zone in zones.keys where author.reads(zone) { zones[zone]?.owesEpoch = true }
        case .move(let address):
            try check(address)
            hasMoved = true
        }
    }

    private mutating func add(_ member: SyncMember, _ grants: [KeyGrant], in circle: Bytes16) throws(SyncFault) {
        guard member.role != .recovery else { throw .contradiction("a recovery key comes by its own entry") }
        try take(member, in: circle)
        let readable = zones.keys.filter { member.reads($0) }.inOrder
        guard grants.map(\.zone) == readable, member.zones.allSatisfy({ zones[$0] != nil }) else {
            throw .contradiction("the boxes are not those of the zones")
        }
        for grant in grants {
            guard let zone = zones[grant.zone], grant.epoch == zone.epoch.number else { throw .epoch }
        }
    }

    private mutating func take(_ member: SyncMember, in circle: Bytes16) throws(SyncFault) {
        guard members[member.identifier] == nil, members.count < SyncFormat.Limit.members else {
            throw .contradiction("the member is there, or is one too many")
        }
        guard member.isProven(in: circle) else { throw .signature(.entry) }
        members[member.identifier] = member
    }

    private mutating func remove(
        _ identifier: Bytes16,
        _ epochs: [NewEpoch],
        by author: SyncMember
    ) throws(SyncFault) {
        guard identifier != author.identifier, let member = members.removeValue(forKey: identifier) else {
            throw .contradiction("the removed one is no other member")
        }
        try requireOwner()
        try renew(epochs, Set(zones.keys.filter { member.reads($0) }))
    }

    /// Whoever may let others in must remain.
    private func requireOwner() throws(SyncFault) {
        guard members.values.contains(where: { $0.role != .writer }) else {
            throw .contradiction("nobody would remain who may add a member")
        }
    }

    /// New keys: of exactly the zones of `wanted`, or of any.
    private mutating func renew(_ epochs: [NewEpoch], _ wanted: Set<Bytes16>?) throws(SyncFault) {
        guard epochs.map(\.zone).areAscending, wanted == nil || wanted == Set(epochs.map(\.zone)) else {
            throw .contradiction("the new keys are not those of the zones")
        }
        for epoch in epochs {
            guard let zone = zones[epoch.zone], epoch.number == zone.epoch.number + 1 else { throw .epoch }
            guard epoch.slotCommitment == zone.epoch.slotCommitment else { throw .key }
            try checkBoxes(epoch)
            zones[epoch.zone] = Zone(epoch: epoch, owesEpoch: false)
        }
    }

    private func checkBoxes(_ epoch: NewEpoch) throws(SyncFault) {
        guard epoch.boxes.map(\.member) == readers(of: epoch.zone).map(\.identifier) else {
            throw .contradiction("the boxes are not those of the members")
        }
    }

    private func check(_ text: SealedText) throws(SyncFault) {
        guard let zone = zones[text.zone], text.epoch <= zone.epoch.number else { throw .epoch }
    }
}

extension SyncMember {
    /// Whether an entry is the affair of a member of this role.
    fileprivate func may(_ action: MembershipEntry.Action) -> Bool {
        switch (role, action) {
        case (.owner, _): true
        case (.writer, .leave): true
        case (.writer, .name(let named, _)): named == identifier
        case (.recovery, .add(let member, _)): member.role == .owner
        case (.recovery, .recovery), (.recovery, .rotate): true
        default: false
        }
    }
}
