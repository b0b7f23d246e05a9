// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// A signed step of a circle: who is in it, and which keys its zones have (Documentation/SyncFormat.md, "Membership").
package struct MembershipEntry: Sendable, Hashable {
    /// What an entry does.
    package enum Action: Sendable, Hashable {
        /// The first entry: the founder.
        case create(salt: Bytes16, keys: SyncMemberKeys)
        /// A new member, and its boxes.
        case add(SyncMember, grants: [KeyGrant])
        /// A member less, and new keys for what it could read.
        case remove(Bytes16, wipes: Bool, epochs: [NewEpoch])
        /// Another recovery key, and new keys.
        case recovery(SyncMember, epochs: [NewEpoch])
        /// New keys.
        case rotate([NewEpoch])
        /// The name of a member.
        case name(Bytes16, SealedText)
        /// A zone, and its first keys.
        case zone(NewEpoch, description: SealedText)
        /// Programs for an earlier version take no part any more.
        case minimumFormat(UInt8)
        /// The author goes.
        case leave
        /// The circle is at another engine now.
        case move(SealedText)
    }

    /// The circle.
    package let circle: Bytes16
    /// The number: 0 is the first.
    package let sequence: UInt64
    /// The hash of the entry before; zeros in the first.
    package let previous: SyncDigest
    /// Who signed.
    package let author: Bytes16
    /// When, by the author's clock.
    package let date: Timestamp
    /// What it does.
    package let action: Action
    /// The bytes, signature included.
    package let bytes: [UInt8]

    /// The hash that the next entry and commits refer to.
    package var hash: SyncDigest { SyncDigest(hashing: bytes) }

    static let purpose = "membership entry"

    /// The first entry of a new circle, whose identifier it makes.
    package init(founding identity: SyncIdentity, salt: Bytes16 = .random(), date: Timestamp) throws(SyncFault) {
        let action = Action.create(salt: salt, keys: identity.keys)
        let author = identity.keys.identifier
        let open = Self.body(.zero, 0, after: .zero, by: author, date: date, action: action)
        try self.init(Self.circle(of: open), 0, after: .zero, by: identity, date: date, action: action)
    }

    /// An entry that follows the last one of a log.
    package init(
        _ action: Action,
        after log: MembershipLog,
        by identity: SyncIdentity,
        date: Timestamp
    )
        throws(SyncFault)
    {
        try self.init(log.circle, log.sequence + 1, after: log.hash, by: identity, date: date, action: action)
    }

    private init(
        _ circle: Bytes16,
        _ sequence: UInt64,
        after previous: SyncDigest,
        by identity: SyncIdentity,
        date: Timestamp,
        action: Action
    ) throws(SyncFault) {
        self.circle = circle
        self.sequence = sequence
        self.previous = previous
        author = identity.keys.identifier
        self.date = date
        self.action = action
        let body = Self.body(circle, sequence, after: previous, by: author, date: date, action: action)
        guard body.count + SyncMemberKeys.signatureByteCount <= SyncFormat.Limit.entryByteCount else {
            throw .tooLarge(.entry)
        }
        bytes = body + (try identity.signature(Self.purpose, body))
    }

    /// Reads an entry; whether it counts, a ``MembershipLog`` says.
    package init(_ bytes: [UInt8]) throws(SyncFault) {
        guard bytes.count <= SyncFormat.Limit.entryByteCount else { throw .tooLarge(.entry) }
        var reader = try SyncReader(bytes, .entry)
        circle = try reader.identifier()
        sequence = try reader.integer(UInt64.self)
        previous = try reader.digest()
        author = try reader.identifier()
        date = try reader.date()
        action = try Action(&reader)
        _ = try reader.bytes(SyncMemberKeys.signatureByteCount)
        try reader.end()
        self.bytes = bytes
    }

    private static func body(
        _ circle: Bytes16,
        _ sequence: UInt64,
        after previous: SyncDigest,
        by author: Bytes16,
        date: Timestamp,
        action: Action
    ) -> [UInt8] {
        var bytes = [UInt8].beginning(.entry)
        bytes.append(circle)
        bytes.append(littleEndian: sequence)
        bytes.append(previous)
        bytes.append(author)
        bytes.append(date: date)
        return bytes + action.encoded
    }

    /// The identifier of a circle: of its first entry with zeros in place of the identifier, and without signature.
    private static func circle(of open: [UInt8]) -> Bytes16 {
        SyncFormat.hash("circle identifier", open).identifier
    }

    /// Whether the circle's identifier is that of this first entry.
    var namesItsCircle: Bool {
        circle == Self.circle(of: Self.body(.zero, sequence, after: previous, by: author, date: date, action: action))
    }

    func isSigned(by keys: SyncMemberKeys) -> Bool {
        let count = bytes.count - SyncMemberKeys.signatureByteCount
        return keys.isSignature(Array(bytes[count...]), Self.purpose, of: Array(bytes[..<count]))
    }
}

extension MembershipEntry.Action {
    fileprivate init(_ reader: inout SyncReader) throws(SyncFault) {
        switch try reader.integer(UInt8.self) {
        case 0: self = .create(salt: try reader.identifier(), keys: try SyncMemberKeys(&reader))
        case 1:
            let member = try SyncMember(&reader)
            var grants: [KeyGrant] = []
            for _ in 0..<(try reader.count(SyncFormat.Limit.zones)) { grants.append(try KeyGrant(&reader)) }
            self = .add(member, grants: grants)
        case 2: self = .remove(try reader.identifier(), wipes: try reader.flag(), epochs: try Self.epochs(&reader))
        case 3: self = .recovery(try SyncMember(&reader), epochs: try Self.epochs(&reader))
        case 4: self = .rotate(try Self.epochs(&reader))
        case 5: self = .name(try reader.identifier(), try SealedText(&reader))
        case 6: self = .zone(try NewEpoch(&reader), description: try SealedText(&reader))
        case 7: self = .minimumFormat(try reader.integer(UInt8.self))
        case 8: self = .leave
        case 9: self = .move(try SealedText(&reader))
        default: throw reader.fault
        }
    }

    private static func epochs(_ reader: inout SyncReader) throws(SyncFault) -> [NewEpoch] {
        var epochs: [NewEpoch] = []
        for _ in 0..<(try reader.count(SyncFormat.Limit.zones)) { epochs.append(try NewEpoch(&reader)) }
        return epochs
    }

    fileprivate var encoded: [UInt8] {
        var bytes = [kind]
        switch self {
        case .create(let salt, let keys): bytes += salt.bytes + keys.encoded
        case .add(let member, let grants):
            bytes += member.encoded
            bytes.append(count: grants.count)
            for grant in grants { bytes += grant.encoded }
        case .remove(let identifier, let wipes, let epochs):
            bytes += identifier.bytes + [wipes ? 1 : 0] + Self.encoded(epochs)
        case .recovery(let member, let epochs): bytes += member.encoded + Self.encoded(epochs)
        case .rotate(let epochs): bytes += Self.encoded(epochs)
        case .name(let identifier, let name): bytes += identifier.bytes + name.encoded
        case .zone(let epoch, let description): bytes += epoch.encoded + description.encoded
        case .minimumFormat(let version): bytes.append(version)
        case .leave: break
        case .move(let address): bytes += address.encoded
        }
        return bytes
    }

    private static func encoded(_ epochs: [NewEpoch]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(count: epochs.count)
        for epoch in epochs { bytes += epoch.encoded }
        return bytes
    }

    private var kind: UInt8 {
        switch self {
        case .create: 0
        case .add: 1
        case .remove: 2
        case .recovery: 3
        case .rotate: 4
        case .name: 5
        case .zone: 6
        case .minimumFormat: 7
        case .leave: 8
        case .move: 9
        }
    }
}
