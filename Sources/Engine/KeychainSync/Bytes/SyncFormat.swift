// SPDX-License-Identifier: Apache-2.0

import Crypto
import KeychainCore

/// What all structures of the format of synchronization share (Documentation/SyncFormat.md).
package enum SyncFormat {
    /// The version byte: 0 is the draft, which no release writes or reads as its own.
    package static let version: UInt8 = 0

    /// Limits of every reader, which are checked before anything is reserved.
    package enum Limit {
        /// Changes in a commit: an engine with 64 operations a transaction takes them, their commit and an entry.
        package static let changes = 60
        /// Bytes of a record, its header and padding included.
        package static let recordByteCount = 512 * 1024
        /// Bytes of the records of one commit.
        package static let commitRecordsByteCount = 768 * 1024
        /// Bytes of a membership entry.
        package static let entryByteCount = 256 * 1024
        /// Members of a circle at a time.
        package static let members = 256
        /// Zones of a circle.
        package static let zones = 64
        /// Entries of a log that is read.
        package static let entries = 100_000
        /// Attributes of an item.
        package static let attributes = 1_024
        /// Bytes of a text: a name, an address, a description.
        package static let textByteCount = 4_096
        /// Recipients of a zone.
        package static let recipients = 65_536
    }

    static let label = "swift-keychain sync 0 "

    /// A label for one purpose, a zero octet, and what the value depends on.
    static func information(_ purpose: String, _ context: [UInt8] = []) -> [UInt8] {
        Array((label + purpose).utf8) + [0] + context
    }

    /// SHA-256 under a label.
    static func hash(_ purpose: String, _ bytes: [UInt8]) -> SyncDigest {
        SyncDigest(hashing: information(purpose, bytes))
    }

    /// HKDF-Expand with SHA-256 to 32 bytes (RFC 5869, section 2.3).
    static func expand(_ key: SymmetricKey, _ purpose: String, context: [UInt8] = []) -> SymmetricKey {
        HKDF<SHA256>.expand(pseudoRandomKey: key, info: information(purpose, context), outputByteCount: 32)
    }
}

/// What the four first bytes of a structure say.
package enum SyncStructure: String, Sendable, Hashable, CaseIterable {
    /// A sealed item or tombstone.
    case record = "SKSR"
    /// A signed step of a zone.
    case commit = "SKSC"
    /// A signed step of the circle.
    case entry = "SKSM"
    /// The keys of a zone for one member or recipient.
    case box = "SKSB"
    /// What a device has verified.
    case beacon = "SKSD"
    /// The offer of an invitation.
    case offer = "SKSI"
    /// The answer to an offer.
    case request = "SKSJ"
    /// Where the circle of a recovery key is.
    case locator = "SKSL"
}

/// Why bytes of a circle are not accepted; it names no content.
package enum SyncFault: Error, Sendable, Hashable {
    /// Bytes are not of the structure.
    case malformed(SyncStructure)
    /// A program for a later version wrote them.
    case newerFormat(SyncStructure, UInt8)
    /// A size is above the limit.
    case tooLarge(SyncStructure)
    /// Sealed bytes do not open: another key, or altered.
    case closed(SyncStructure)
    /// A signature is wrong.
    case signature(SyncStructure)
    /// The author may not do this, or is no member.
    case author(SyncStructure)
    /// A number or the hash of what is before does not follow.
    case sequence(SyncStructure)
    /// It is of another circle or zone.
    case place(SyncStructure)
    /// What an entry says contradicts the members or zones before it.
    case contradiction(String)
    /// A commit refers to a membership that is too old or unknown.
    case membership
    /// An epoch is not the current one, or one is owed.
    case epoch
    /// The root of a commit is not that of its changes.
    case root
    /// A key is not what its commitment says, or unusable.
    case key
    /// An item that may not travel.
    case item
    /// It came too late.
    case expired
}

/// A SHA-256 digest.
package struct SyncDigest: Sendable, Hashable, Comparable {
    /// The 32 bytes.
    package let bytes: [UInt8]

    /// The number of bytes.
    package static let byteCount = 32

    /// Zeros: of what there is none.
    package static let zero = SyncDigest(unchecked: [UInt8](repeating: 0, count: byteCount))

    /// A digest from its bytes; `nil` for another number of them.
    package init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == Self.byteCount else { return nil }
        self.bytes = Array(bytes)
    }

    /// The digest of bytes.
    package init(hashing bytes: [UInt8]) { self.init(unchecked: Array(SHA256.hash(data: bytes))) }

    private init(unchecked bytes: [UInt8]) { self.bytes = bytes }

    /// The order of the bytes, unsigned.
    package static func < (left: SyncDigest, right: SyncDigest) -> Bool {
        left.bytes.lexicographicallyPrecedes(right.bytes)
    }

    /// The first half, as an identifier.
    var identifier: Bytes16 {
        guard let identifier = bytes.withUnsafeBytes({ Bytes16($0) }) else { preconditionFailure("it has 32 bytes") }
        return identifier
    }
}

extension Bytes16 {
    /// The order of the bytes, unsigned.
    package func precedes(_ other: Bytes16) -> Bool { bytes.lexicographicallyPrecedes(other.bytes) }
}

extension Sequence<Bytes16> {
    /// In the order of their bytes.
    package var inOrder: [Bytes16] { sorted { $0.precedes($1) } }

    /// Whether each is greater than the one before it.
    var areAscending: Bool {
        var last: Bytes16?
        for value in self {
            if let last, !last.precedes(value) { return false }
            last = value
        }
        return true
    }
}
