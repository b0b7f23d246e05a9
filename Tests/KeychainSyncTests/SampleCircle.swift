// SPDX-License-Identifier: Apache-2.0

import Crypto
import KeychainCore

@testable import KeychainSync

/// A circle in values: two devices, a recovery key, a zone; the same bytes each time, but for boxes.
struct SampleCircle {
    let first: SyncIdentity
    let second: SyncIdentity
    let recovery: SyncIdentity
    var log: MembershipLog
    var entries: [MembershipEntry]
    var keys: ZoneKeys
    let place: SyncPlace
    var chain: ZoneChain
    var commits: [SyncCommit] = []
    var records: [Bytes16: [UInt8]] = [:]
    var boxes: [Bytes16: [UInt8]] = [:]

    static let zone = identifier(0x5A)
    static let recoveryKey = code(0x30)

    static func seed(_ byte: UInt8) -> SymmetricKey { SymmetricKey(data: [UInt8](repeating: byte, count: 32)) }

    static func identifier(_ byte: UInt8) -> Bytes16 {
        Bytes16([UInt8](repeating: byte, count: 16)) ?? .zero
    }

    static func date(_ seconds: Double) -> Timestamp { Timestamp(secondsSinceReferenceDate: seconds) }

    static func code(_ byte: UInt8) -> RecoveryKey {
        guard let key = RecoveryKey(SecretBytes([UInt8](repeating: byte, count: 16))) else {
            preconditionFailure("it has 16 bytes")
        }
        return key
    }

    static func device(_ byte: UInt8) throws -> SyncIdentity {
        try SyncIdentity(signingSeed: seed(byte), receivingSeed: seed(byte + 1))
    }

    /// A founder, a zone, a recovery key; the second device is not in it yet.
    init() throws {
        first = try Self.device(0x10)
        second = try Self.device(0x20)
        recovery = try SyncIdentity(Self.recoveryKey)
        let founding = try MembershipEntry(founding: first, salt: Self.identifier(7), date: Self.date(1_000))
        log = try MembershipLog(founding, circle: founding.circle)
        entries = [founding]
        place = SyncPlace(circle: founding.circle, zone: Self.zone)
        chain = ZoneChain(place)
        keys = ZoneKeys(epoch: 1, Self.seed(0xA1), Self.seed(0xC1), slots: Self.seed(0x51))
        let description = try text(ZoneDescription(name: "default", groups: []).encoded)
        try append(.zone(epoch(), description: description))
        let member = try SyncMember(recovery, .recovery, in: place.circle)
        try append(.recovery(member, epochs: [rotated(adding: [member])]))
    }

    /// The sealed text of bytes.
    func text(_ content: [UInt8]) throws -> SealedText {
        try SealedText(content, keys, in: place, salt: Self.identifier(8), nonce: [UInt8](repeating: 9, count: 12))
    }

    /// The signed part of the present keys, for the readers that there are, and others.
    mutating func epoch(
        after former: ZoneKeys? = nil,
        adding: [SyncMember] = [],
        without: [Bytes16] = [],
        recipients: BoxTree? = nil
    ) throws -> NewEpoch {
        let readers = log.state.readers(of: place.zone).filter { !without.contains($0.identifier) } + adding
        boxes = [:]
        for reader in readers {
            boxes[reader.identifier] = try keys.box(
                for: (reader.identifier, reader.keys.receiving),
                from: first.keys.identifier,
                in: place
            )
        }
        return try NewEpoch(
            keys,
            after: former,
            in: place,
            boxes: boxes.map { NewEpoch.Box(member: $0, hash: SyncDigest(hashing: $1)) },
            recipients: recipients
        )
    }

    /// New keys, and their signed part.
    mutating func rotated(
        adding: [SyncMember] = [],
        without: [Bytes16] = [],
        recipients: BoxTree? = nil
    ) throws -> NewEpoch {
        let former = keys
        let number = UInt8(keys.epoch + 1)
        keys = ZoneKeys(epoch: keys.epoch + 1, Self.seed(0xA0 + number), Self.seed(0xC0 + number), slots: keys.slots)
        return try epoch(after: former, adding: adding, without: without, recipients: recipients)
    }

    mutating func append(_ action: MembershipEntry.Action, by author: SyncIdentity? = nil) throws {
        let date = Self.date(1_000 + Double(entries.count))
        let entry = try MembershipEntry(action, after: log, by: author ?? first, date: date)
        try log.append(entry)
        entries.append(entry)
    }

    /// The entry that lets the second device in.
    mutating func addSecond(_ role: SyncRole = .owner) throws {
        let member = try SyncMember(second, role, in: place.circle, zones: role == .writer ? [place.zone] : [])
        try append(.add(member, grants: [try grant(member)]))
    }

    mutating func grant(_ member: SyncMember) throws -> KeyGrant {
        let box = try keys.box(
            for: (member.identifier, member.keys.receiving),
            from: first.keys.identifier,
            in: place
        )
        boxes[member.identifier] = box
        return KeyGrant(zone: place.zone, epoch: keys.epoch, hash: SyncDigest(hashing: box))
    }

    static func attributes(_ account: String, level: String = "ak", date: Double = 5_000) -> Attributes {
        [
            .account: .string(account), .service: .string("service"), .accessGroup: .string("group"),
            .accessible: .string(level), .creationDate: .date(Self.date(4_000)),
            .modificationDate: .date(Self.date(date)), "port": .number(.integer(-5)), "zzzz": .data([1, 2]),
            .synchronizable: .number(.integer(1)),
        ]
    }

    /// A record of an item.
    func record(_ account: String, level: String = "ak", date: Double = 5_000) throws -> (Bytes16, SyncRecord) {
        let attributes = Self.attributes(account, level: level, date: date)
        let item = try SyncItem(.genericPassword, attributes, secret: SecretBytes(Array("secret".utf8)))
        let slot = keys.slot(.genericPassword, attributes)
        let salt = Self.identifier(0x53)
        return (slot, try SyncRecord(item, at: slot, keys, in: place, salt: salt, nonce: Array(0..<12)))
    }

    /// Commits records, and takes the commit in.
    mutating func commit(
        _ changes: [(Bytes16, SyncRecord)],
        by author: SyncIdentity? = nil
    ) throws {
        let commit = try SyncCommit(
            changes.map { SyncCommit.Change(slot: $0.0, hash: $0.1.hash) },
            after: chain,
            log,
            by: author ?? first,
            date: Self.date(2_000)
        )
        try chain.append(commit, log)
        commits.append(commit)
        for (slot, record) in changes { records[slot] = record.bytes }
    }
}

extension [UInt8] {
    /// Lower-case hexadecimal digits.
    var hexadecimal: String {
        let digits = [Character]("0123456789abcdef")
        return String(flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
    }
}
