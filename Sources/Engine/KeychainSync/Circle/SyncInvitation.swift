// SPDX-License-Identifier: Apache-2.0

import Crypto
import KeychainCore

/// The code of an invitation, 128 random bits, and what lies under it in the engine.
package struct SyncInvitation: Sendable {
    private let key: SymmetricKey

    /// What the two devices call the invitation; it says nothing of the code.
    package let identifier: Bytes16

    /// An invitation of a code.
    package init(_ code: RecoveryKey) {
        key = code.bytes.withUnsafeBytes { SymmetricKey(data: $0) }
        let bytes = SyncFormat.expand(key, "invitation identifier").withUnsafeBytes { Bytes16($0) }
        guard let bytes else { preconditionFailure("it has 32 bytes") }
        identifier = bytes
    }

    /// What a member offers.
    package struct Offer: Sendable, Hashable {
        /// The circle.
        package let circle: Bytes16
        /// The member that offers.
        package let sponsor: Bytes16
        /// When it expires.
        package let expiry: Timestamp
        /// The role.
        package let role: SyncRole
        /// The zones of a writer.
        package let zones: [Bytes16]
        /// The newest membership entry.
        package let membershipSequence: UInt64
        /// Its hash.
        package let membershipHash: SyncDigest
        /// The newest commit of each zone.
        package let anchors: [ZoneAnchor]

        /// An offer.
        package init(
            _ log: MembershipLog,
            anchors: [ZoneAnchor],
            sponsor: Bytes16,
            expiry: Timestamp,
            role: SyncRole = .owner,
            zones: [Bytes16] = []
        ) {
            circle = log.circle
            self.sponsor = sponsor
            self.expiry = expiry
            self.role = role
            self.zones = zones.inOrder
            membershipSequence = log.sequence
            membershipHash = log.hash
            self.anchors = anchors.sorted { $0.zone.precedes($1.zone) }
        }

        init(_ reader: inout SyncReader) throws(SyncFault) {
            circle = try reader.identifier()
            sponsor = try reader.identifier()
            expiry = try reader.date()
            guard let role = SyncRole(rawValue: try reader.integer(UInt8.self)), role != .recovery else {
                throw reader.fault
            }
            self.role = role
            var zones: [Bytes16] = []
            for _ in 0..<(try reader.count(SyncFormat.Limit.zones)) { zones.append(try reader.identifier()) }
            self.zones = zones
            membershipSequence = try reader.integer(UInt64.self)
            membershipHash = try reader.digest()
            var anchors: [ZoneAnchor] = []
            for _ in 0..<(try reader.count(SyncFormat.Limit.zones)) { anchors.append(try ZoneAnchor(&reader)) }
            self.anchors = anchors
            try reader.end()
            guard zones.areAscending, zones.isEmpty == (role == .owner), anchors.map(\.zone).areAscending else {
                throw reader.fault
            }
        }

        var encoded: [UInt8] {
            var bytes = circle.bytes + sponsor.bytes
            bytes.append(date: expiry)
            bytes.append(role.rawValue)
            bytes.append(count: zones.count)
            for zone in zones { bytes.append(zone) }
            bytes.append(littleEndian: membershipSequence)
            bytes.append(membershipHash)
            bytes.append(count: anchors.count)
            for anchor in anchors { bytes += anchor.encoded }
            return bytes
        }

        /// Whether a membership log that the engine shows has what the offer says.
        package func isConfirmed(by log: MembershipLog) -> Bool {
            log.circle == circle && log.state(at: membershipSequence)?.hash == membershipHash
                && log.state(at: membershipSequence)?.members[sponsor]?.role == .owner
        }
    }

    /// What the new device answers.
    package struct Request: Sendable, Hashable {
        /// The member that it wants to be.
        package let member: SyncMember
        /// The name that it gives itself.
        package let name: String

        /// A request.
        package init(_ member: SyncMember, name: String) {
            self.member = member
            self.name = name
        }

        init(_ reader: inout SyncReader) throws(SyncFault) {
            member = try SyncMember(&reader)
            name = try reader.text(256)
            try reader.end()
        }

        var encoded: [UInt8] {
            var bytes = member.encoded
            bytes.append(block: Array(name.utf8))
            return bytes
        }
    }

    /// Bytes of an offer or a request at most.
    package static let byteCountLimit = 16 * 1024

    /// The sealed offer.
    package func seal(_ offer: Offer, nonce: [UInt8]? = nil) throws(SyncFault) -> [UInt8] {
        try seal(offer.encoded, .offer, nonce: nonce)
    }

    /// The sealed request.
    package func seal(_ request: Request, nonce: [UInt8]? = nil) throws(SyncFault) -> [UInt8] {
        guard request.name.utf8.count <= 256 else { throw .tooLarge(.request) }
        return try seal(request.encoded, .request, nonce: nonce)
    }

    /// The offer, if it has not expired.
    package func offer(_ bytes: [UInt8], now: Timestamp) throws(SyncFault) -> Offer {
        var reader = SyncReader(plain: try open(bytes, .offer)[...], .offer)
        let offer = try Offer(&reader)
        guard now < offer.expiry else { throw .expired }
        return offer
    }

    /// The request, if it is an answer to the offer and the offer has not expired.
    package func request(_ bytes: [UInt8], to offer: Offer, now: Timestamp) throws(SyncFault) -> Request {
        var reader = SyncReader(plain: try open(bytes, .request)[...], .request)
        let request = try Request(&reader)
        guard now < offer.expiry else { throw .expired }
        guard request.member.role == offer.role, request.member.zones == offer.zones else { throw .author(.request) }
        guard request.member.isProven(in: offer.circle) else { throw .signature(.request) }
        return request
    }

    private func seal(_ content: [UInt8], _ structure: SyncStructure, nonce: [UInt8]?) throws(SyncFault) -> [UInt8] {
        let header = [UInt8].beginning(structure)
        let sealed = try SyncSeal.seal(
            SecretBytes(content),
            under: sealingKey(structure),
            associated(header),
            nonce: nonce
        )
        guard header.count + sealed.count <= Self.byteCountLimit else { throw .tooLarge(structure) }
        return header + sealed
    }

    private func open(_ bytes: [UInt8], _ structure: SyncStructure) throws(SyncFault) -> [UInt8] {
        guard bytes.count <= Self.byteCountLimit else { throw .tooLarge(structure) }
        var reader = try SyncReader(bytes, structure)
        let sealed = try reader.rest()
        let header = [UInt8].beginning(structure)
        return try SyncSeal.open(sealed, of: structure, under: sealingKey(structure), associated(header))
            .unprotectedCopy
    }

    private func sealingKey(_ structure: SyncStructure) -> SymmetricKey {
        SyncFormat.expand(key, structure == .offer ? "invitation offer" : "invitation request")
    }

    private func associated(_ header: [UInt8]) -> [UInt8] {
        SyncFormat.information("invitation", identifier.bytes + header)
    }
}

/// Where the circle of a recovery key is: that who has only the key and the engine finds it.
package enum SyncLocator {
    /// Under which name the engine has it.
    package static func identifier(_ key: RecoveryKey) -> Bytes16 {
        let bytes = SyncFormat.expand(root(key), "recovery locator").withUnsafeBytes { Bytes16($0) }
        guard let bytes else { preconditionFailure("it has 32 bytes") }
        return bytes
    }

    /// The sealed identifier of the circle.
    package static func seal(_ circle: Bytes16, _ key: RecoveryKey, nonce: [UInt8]? = nil) throws(SyncFault) -> [UInt8]
    {
        let header = [UInt8].beginning(.locator)
        let content = SecretBytes(circle.bytes)
        return header + (try SyncSeal.seal(content, under: sealingKey(key), associated(key), nonce: nonce))
    }

    /// The identifier of the circle.
    package static func circle(_ bytes: [UInt8], _ key: RecoveryKey) throws(SyncFault) -> Bytes16 {
        guard bytes.count == 5 + Bytes16.count + SyncSeal.overheadByteCount else { throw .malformed(.locator) }
        var reader = try SyncReader(bytes, .locator)
        let content = try SyncSeal.open(try reader.rest(), of: .locator, under: sealingKey(key), associated(key))
        guard let circle = Bytes16(content.unprotectedCopy) else { throw .malformed(.locator) }
        return circle
    }

    private static func root(_ key: RecoveryKey) -> SymmetricKey {
        key.bytes.withUnsafeBytes { SymmetricKey(data: $0) }
    }

    private static func sealingKey(_ key: RecoveryKey) -> SymmetricKey {
        SyncFormat.expand(root(key), "recovery location")
    }

    private static func associated(_ key: RecoveryKey) -> [UInt8] {
        SyncFormat.information("recovery location", identifier(key).bytes + [UInt8].beginning(.locator))
    }
}
