// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// What a zone is for: sealed in its entry.
package struct ZoneDescription: Sendable, Hashable {
    /// The name.
    package let name: String
    /// The access groups whose items it has; the default zone has none, and all others' items.
    package let groups: [String]
    /// The seconds after which a reader that verified nothing new answers no more; 0 for any time.
    package let maximumAge: UInt32

    /// A description.
    package init(name: String, groups: [String], maximumAge: UInt32 = 0) {
        self.name = name
        self.groups = groups
        self.maximumAge = maximumAge
    }

    private static let groupLimit = 256

    /// The bytes.
    package var encoded: [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(block: Array(name.utf8))
        bytes.append(littleEndian: maximumAge)
        bytes.append(count: groups.count)
        for group in groups { bytes.append(block: Array(group.utf8)) }
        return bytes
    }

    /// Reads a description.
    package init(_ bytes: [UInt8]) throws(SyncFault) {
        var reader = SyncReader(plain: bytes[...], .entry)
        name = try reader.text()
        maximumAge = try reader.integer(UInt32.self)
        var groups: [String] = []
        for _ in 0..<(try reader.count(Self.groupLimit)) { groups.append(try reader.text()) }
        self.groups = groups
        try reader.end()
    }
}

/// Who only reads a zone: it is in no membership entry.
package struct SyncRecipient: Sendable, Hashable {
    /// Its X-Wing key.
    package let key: [UInt8]
    /// When it gets no box any more.
    package let expiry: Timestamp
    /// The name that the owners gave it.
    package let name: String

    /// A recipient.
    package init(key: [UInt8], expiry: Timestamp, name: String) throws(SyncFault) {
        guard key.count == SyncMemberKeys.receivingByteCount else { throw .key }
        self.key = key
        self.expiry = expiry
        self.name = name
    }

    /// The identifier.
    package var identifier: Bytes16 { SyncReceiver.identifier(ofRecipient: key) }

    /// The bytes of a list, which the owners keep in their zone.
    package static func encode(_ recipients: [SyncRecipient]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(littleEndian: UInt32(recipients.count))
        for recipient in recipients.sorted(by: { $0.identifier.precedes($1.identifier) }) {
            bytes += recipient.key
            bytes.append(date: recipient.expiry)
            bytes.append(block: Array(recipient.name.utf8))
        }
        return bytes
    }

    /// Reads a list.
    package static func decode(_ bytes: [UInt8]) throws(SyncFault) -> [SyncRecipient] {
        var reader = SyncReader(plain: bytes[...], .entry)
        let count = Int(try reader.integer(UInt32.self))
        guard count <= SyncFormat.Limit.recipients else { throw .tooLarge(.entry) }
        var recipients: [SyncRecipient] = []
        for _ in 0..<count {
            let key = try reader.bytes(SyncMemberKeys.receivingByteCount)
            recipients.append(try SyncRecipient(key: key, expiry: try reader.date(), name: try reader.text()))
        }
        try reader.end()
        guard recipients.map(\.identifier).areAscending else { throw reader.fault }
        return recipients
    }

    /// Those that get a box at a time.
    package static func current(_ recipients: [SyncRecipient], now: Timestamp) -> [SyncRecipient] {
        recipients.filter { now < $0.expiry }
    }
}

/// A Merkle tree over the boxes of recipients: an entry has its root alone.
package struct BoxTree: Sendable, Hashable {
    private let identifiers: [Bytes16]
    /// From the leaves up to the root.
    private let levels: [[SyncDigest]]

    /// A tree over at least one box.
    package init?(_ boxes: [Bytes16: SyncDigest]) {
        guard !boxes.isEmpty, boxes.count <= SyncFormat.Limit.recipients else { return nil }
        identifiers = boxes.keys.inOrder
        var levels = [identifiers.map { Self.leaf($0, boxes[$0] ?? .zero) }]
        while let last = levels.last, last.count > 1 {
            levels.append(
                stride(from: 0, to: last.count, by: 2).map {
                    $0 + 1 < last.count ? Self.node(last[$0], last[$0 + 1]) : last[$0]
                }
            )
        }
        self.levels = levels
    }

    /// The number of boxes.
    package var count: Int { identifiers.count }

    /// The root.
    package var root: SyncDigest { levels[levels.count - 1][0] }

    /// A step from a leaf to the root.
    package struct Step: Sendable, Hashable {
        /// The other node.
        package let sibling: SyncDigest
        /// Whether the other node is on the left.
        package let isLeft: Bool
    }

    /// The way from a recipient's box to the root; `nil` for a stranger.
    package func path(of identifier: Bytes16) -> [Step]? {
        guard var index = identifiers.firstIndex(of: identifier) else { return nil }
        var path: [Step] = []
        for level in levels.dropLast() {
            let sibling = index ^ 1
            if sibling < level.count { path.append(Step(sibling: level[sibling], isLeft: sibling < index)) }
            index /= 2
        }
        return path
    }

    /// The bytes of a recipient's value: the box, then the way to the root.
    package static func encode(_ box: [UInt8], _ path: [Step]) -> [UInt8] {
        var bytes = box + [UInt8(path.count)]
        for step in path { bytes += [step.isLeft ? 1 : 0] + step.sibling.bytes }
        return bytes
    }

    /// The box of a recipient's value, if it is under the root of a signed entry.
    package static func box(
        _ value: [UInt8],
        of identifier: Bytes16,
        under epoch: NewEpoch
    ) throws(SyncFault) -> [UInt8] {
        guard value.count <= ZoneKeys.boxByteCount + 1 + depth * 33 else { throw .tooLarge(.box) }
        var reader = SyncReader(plain: value[...], .box)
        let box = try reader.bytes(ZoneKeys.boxByteCount)
        let count = Int(try reader.integer(UInt8.self))
        guard count <= depth else { throw .tooLarge(.box) }
        var digest = leaf(identifier, SyncDigest(hashing: box))
        for _ in 0..<count {
            let isLeft = try reader.flag()
            let sibling = try reader.digest()
            digest = isLeft ? node(sibling, digest) : node(digest, sibling)
        }
        try reader.end()
        guard epoch.recipientCount > 0, digest == epoch.recipientRoot else { throw .closed(.box) }
        return box
    }

    private static let depth = 16

    private static func leaf(_ identifier: Bytes16, _ hash: SyncDigest) -> SyncDigest {
        SyncDigest(hashing: [0] + identifier.bytes + hash.bytes)
    }

    private static func node(_ left: SyncDigest, _ right: SyncDigest) -> SyncDigest {
        SyncDigest(hashing: [1] + left.bytes + right.bytes)
    }
}
