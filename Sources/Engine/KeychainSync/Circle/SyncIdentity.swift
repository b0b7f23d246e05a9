// SPDX-License-Identifier: Apache-2.0

import Crypto
import FoundationEssentials
import KeychainCore

/// The private keys of a member: Ed25519 (RFC 8032) to sign, X-Wing to receive.
package struct SyncIdentity: Sendable {
    let signing: Curve25519.Signing.PrivateKey
    let receiving: XWingMLKEM768X25519.PrivateKey

    /// The public keys.
    package let keys: SyncMemberKeys

    /// A fresh identity.
    package init() throws(SyncFault) {
        try self.init(signingSeed: SymmetricKey(size: .bits256), receivingSeed: SymmetricKey(size: .bits256))
    }

    /// An identity from the seeds of its keys, 32 bytes each.
    package init(signingSeed: SymmetricKey, receivingSeed: SymmetricKey) throws(SyncFault) {
        do {
            signing = try signingSeed.withUnsafeBytes { try Curve25519.Signing.PrivateKey(rawRepresentation: $0) }
            receiving = try receivingSeed.withUnsafeBytes {
                try XWingMLKEM768X25519.PrivateKey(seedRepresentation: $0, publicKey: nil)
            }
        } catch {
            throw .key
        }
        keys = SyncMemberKeys(
            unchecked: Array(signing.publicKey.rawRepresentation),
            receiving: Array(receiving.publicKey.rawRepresentation)
        )
    }

    /// The identity of a recovery key.
    package init(_ recoveryKey: RecoveryKey) throws(SyncFault) {
        let key = recoveryKey.bytes.withUnsafeBytes { SymmetricKey(data: $0) }
        try self.init(
            signingSeed: SyncFormat.expand(key, "recovery signing"),
            receivingSeed: SyncFormat.expand(key, "recovery receiving")
        )
    }

    /// Signs bytes for one purpose.
    func signature(_ purpose: String, _ bytes: [UInt8]) throws(SyncFault) -> [UInt8] {
        do { return Array(try signing.signature(for: SyncFormat.information(purpose, bytes))) } catch { throw .key }
    }
}

/// The public keys of a member.
package struct SyncMemberKeys: Sendable, Hashable {
    /// The Ed25519 key.
    package let signing: [UInt8]
    /// The X-Wing key.
    package let receiving: [UInt8]

    static let signingByteCount = 32
    static let receivingByteCount = 1_216
    static let signatureByteCount = 64

    fileprivate init(unchecked signing: [UInt8], receiving: [UInt8]) {
        self.signing = signing
        self.receiving = receiving
    }

    init(_ reader: inout SyncReader) throws(SyncFault) {
        signing = try reader.bytes(Self.signingByteCount)
        receiving = try reader.bytes(Self.receivingByteCount)
    }

    var encoded: [UInt8] { signing + receiving }

    /// The identifier: what members call each other.
    package var identifier: Bytes16 { SyncFormat.hash("member identifier", encoded).identifier }

    /// Whether a signature is of this member.
    func isSignature(_ signature: [UInt8], _ purpose: String, of bytes: [UInt8]) -> Bool {
        guard let key = try? Curve25519.Signing.PublicKey(rawRepresentation: signing) else { return false }
        return key.isValidSignature(signature, for: SyncFormat.information(purpose, bytes))
    }
}

/// What a member may do.
package enum SyncRole: UInt8, Sendable, Hashable, CaseIterable {
    /// Everything.
    case owner = 0
    /// Commits items of named zones.
    case writer = 1
    /// A recovery key: lets a device in, commits no items.
    case recovery = 2
}

/// A member of a circle.
package struct SyncMember: Sendable, Hashable {
    /// The role.
    package let role: SyncRole
    /// The zones of a writer, in order; empty for the others, who have all.
    package let zones: [Bytes16]
    /// The public keys.
    package let keys: SyncMemberKeys
    /// The member's own signature: it has the private keys and wants this role in this circle.
    let proof: [UInt8]

    /// The identifier.
    package var identifier: Bytes16 { keys.identifier }

    /// A member that proves its keys to a circle.
    package init(
        _ identity: SyncIdentity,
        _ role: SyncRole,
        in circle: Bytes16,
        zones: [Bytes16] = []
    )
        throws(SyncFault)
    {
        self.role = role
        self.zones = zones.inOrder
        keys = identity.keys
        proof = try identity.signature("member proof", Self.statement(role, self.zones, of: keys, in: circle))
    }

    init(_ reader: inout SyncReader) throws(SyncFault) {
        guard let role = SyncRole(rawValue: try reader.integer(UInt8.self)) else { throw reader.fault }
        self.role = role
        var zones: [Bytes16] = []
        for _ in 0..<(try reader.count(SyncFormat.Limit.zones)) { zones.append(try reader.identifier()) }
        self.zones = zones
        guard zones.areAscending, zones.isEmpty != (role == .writer) else { throw reader.fault }
        keys = try SyncMemberKeys(&reader)
        proof = try reader.bytes(SyncMemberKeys.signatureByteCount)
    }

    /// The founder, whose signature of the first entry is the proof.
    init(founder keys: SyncMemberKeys) {
        role = .owner
        zones = []
        self.keys = keys
        proof = [UInt8](repeating: 0, count: SyncMemberKeys.signatureByteCount)
    }

    private static func statement(
        _ role: SyncRole,
        _ zones: [Bytes16],
        of keys: SyncMemberKeys,
        in circle: Bytes16
    ) -> [UInt8] { circle.bytes + head(role, zones) + keys.encoded }

    private static func head(_ role: SyncRole, _ zones: [Bytes16]) -> [UInt8] {
        var bytes = [role.rawValue]
        bytes.append(count: zones.count)
        for zone in zones { bytes.append(zone) }
        return bytes
    }

    var encoded: [UInt8] { Self.head(role, zones) + keys.encoded + proof }

    /// Whether the member itself signed for this circle.
    package func isProven(in circle: Bytes16) -> Bool {
        keys.isSignature(proof, "member proof", of: Self.statement(role, zones, of: keys, in: circle))
    }

    /// Whether the member has the keys of a zone.
    package func reads(_ zone: Bytes16) -> Bool { role != .writer || zones.contains(zone) }

    /// Whether its commits count in a zone.
    package func commits(to zone: Bytes16) -> Bool { role != .recovery && reads(zone) }
}
