// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// What a device has verified of a zone, signed (Documentation/SyncFormat.md, "Beacon").
package struct SyncBeacon: Sendable, Hashable {
    /// The circle.
    package let circle: Bytes16
    /// Who signed.
    package let author: Bytes16
    /// When, by the author's clock.
    package let date: Timestamp
    /// The latest version of the format that the author reads.
    package let format: UInt8
    /// The newest membership entry that it has verified.
    package let membershipSequence: UInt64
    /// Its hash.
    package let membershipHash: SyncDigest
    /// The newest commit.
    package let anchor: ZoneAnchor
    /// The bytes, signature included.
    package let bytes: [UInt8]

    private static let purpose = "beacon"
    private static let byteCount = 238

    /// A beacon.
    package init(
        _ chain: ZoneChain,
        _ log: MembershipLog,
        by identity: SyncIdentity,
        date: Timestamp
    )
        throws(SyncFault)
    {
        circle = chain.place.circle
        author = identity.keys.identifier
        self.date = date
        format = SyncFormat.version
        membershipSequence = log.sequence
        membershipHash = log.hash
        anchor = chain.anchor
        var body = [UInt8].beginning(.beacon) + circle.bytes + author.bytes
        body.append(date: date)
        body.append(format)
        body.append(littleEndian: membershipSequence)
        body.append(membershipHash)
        body += anchor.encoded
        bytes = body + (try identity.signature(Self.purpose, body))
    }

    /// Reads a beacon.
    package init(_ bytes: [UInt8]) throws(SyncFault) {
        guard bytes.count <= Self.byteCount else { throw .tooLarge(.beacon) }
        var reader = try SyncReader(bytes, .beacon)
        circle = try reader.identifier()
        author = try reader.identifier()
        date = try reader.date()
        format = try reader.integer(UInt8.self)
        membershipSequence = try reader.integer(UInt64.self)
        membershipHash = try reader.digest()
        anchor = try ZoneAnchor(&reader)
        _ = try reader.bytes(SyncMemberKeys.signatureByteCount)
        try reader.end()
        self.bytes = bytes
    }

    /// Compares with what this device has verified.
    ///
    /// - Parameters:
    ///   - log: the membership.
    ///   - hashes: what this device has verified at the beacon's number, if it still knows.
    /// - Returns: The verdict; of an author whose membership entry is not there yet, consistent.
    /// - Throws: ``SyncFault``, for one that does not count.
    package func judge(_ log: MembershipLog, verified hashes: ZoneAnchor?) throws(SyncFault) -> ZoneAnchor.Verdict {
        guard circle == log.circle else { throw .place(.beacon) }
        guard let member = log.state.members[author], member.reads(anchor.zone) else { throw .author(.beacon) }
        let count = bytes.count - SyncMemberKeys.signatureByteCount
        guard member.keys.isSignature(Array(bytes[count...]), Self.purpose, of: Array(bytes[..<count])) else {
            throw .signature(.beacon)
        }
        if let state = log.state(at: membershipSequence), state.hash != membershipHash { return .forked }
        return hashes?.judge(anchor) ?? .consistent
    }
}
