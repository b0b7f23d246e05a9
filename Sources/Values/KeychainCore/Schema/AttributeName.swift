// SPDX-License-Identifier: Apache-2.0

/// The name of an attribute: always four ASCII characters (Semantics, "Constants").
public struct AttributeName: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The four characters, the first in the highest byte.
    public let code: UInt32

    /// A name from its text; `nil` unless it is four ASCII characters.
    public init?(_ text: String) {
        guard text.utf8.count == 4 else { return nil }
        var code: UInt32 = 0
        for byte in text.utf8 {
            guard byte < 0x80 else { return nil }
            code = code << 8 | UInt32(byte)
        }
        self.code = code
    }

    /// A name from its code.
    public init(code: UInt32) { self.code = code }

    /// The four characters.
    public var description: String {
        String(unsafeUninitializedCapacity: 4) { bytes in
            for index in 0..<4 { bytes[index] = UInt8(truncatingIfNeeded: code >> (24 - 8 * index)) }
            return 4
        }
    }

    /// The order of the codes.
    public static func < (left: AttributeName, right: AttributeName) -> Bool { left.code < right.code }
}

extension AttributeName: ExpressibleByStringLiteral {
    /// A name written in a table; anything but four ASCII characters is a mistake in the table.
    public init(stringLiteral text: StaticString) {
        precondition(text.utf8CodeUnitCount == 4 && text.isASCII, "an attribute name has four ASCII characters")
        code = text.withUTF8Buffer { $0.reduce(0) { $0 << 8 | UInt32($1) } }
    }
}

extension AttributeName {
    /// `kSecAttrAccessGroup`.
    public static let accessGroup: AttributeName = "agrp"
    /// `kSecAttrAccessible`.
    public static let accessible: AttributeName = "pdmn"
    /// `kSecAttrAccessControl`.
    public static let accessControl: AttributeName = "accc"
    /// `kSecAttrAccount`.
    public static let account: AttributeName = "acct"
    /// `kSecAttrCreationDate`.
    public static let creationDate: AttributeName = "cdat"
    /// `kSecAttrModificationDate`.
    public static let modificationDate: AttributeName = "mdat"
    /// `kSecAttrIssuer`.
    public static let issuer: AttributeName = "issr"
    /// `kSecAttrIsPrivate`.
    public static let isPrivate: AttributeName = "priv"
    /// `kSecAttrKeyClass`.
    public static let keyClass: AttributeName = "kcls"
    /// `kSecAttrApplicationLabel`: of a key the hash of its public key.
    public static let applicationLabel: AttributeName = "klbl"
    /// `kSecAttrLabel`.
    public static let label: AttributeName = "labl"
    /// `kSecAttrPublicKeyHash`.
    public static let publicKeyHash: AttributeName = "pkhh"
    /// `kSecAttrServer`.
    public static let server: AttributeName = "srvr"
    /// `kSecAttrService`.
    public static let service: AttributeName = "svce"
    /// `kSecAttrSubject`.
    public static let subject: AttributeName = "subj"
    /// `kSecAttrSynchronizable`.
    public static let synchronizable: AttributeName = "sync"
    /// `kSecAttrSyncViewHint`, which is private.
    public static let viewHint: AttributeName = "vwht"
    /// `kSecAttrTokenID`.
    public static let tokenID: AttributeName = "tkid"
    /// The digest of an item.
    public static let digest: AttributeName = "sha1"
    /// The sharing group.
    public static let sharingGroup: AttributeName = "ggrp"
    /// The tombstone flag.
    public static let tombstone: AttributeName = "tomb"
    /// The multi-user identifier.
    public static let user: AttributeName = "musr"
    /// The app clip flag.
    public static let appClip: AttributeName = "clip"
    /// The system-bound flag.
    public static let systemBound: AttributeName = "sysb"
}
