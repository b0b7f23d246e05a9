// SPDX-License-Identifier: Apache-2.0

/// The name of an attribute: always four ASCII characters (Semantics, "Constants").
package struct AttributeName: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The four characters, the first in the highest byte.
    package let code: UInt32

    /// A name from its text; `nil` unless it is four ASCII characters.
    package init?(_ text: String) {
        guard text.utf8.count == 4 else { return nil }
        var code: UInt32 = 0
        for byte in text.utf8 {
            guard byte < 0x80 else { return nil }
            code = code << 8 | UInt32(byte)
        }
        self.code = code
    }

    /// A name from its code.
    package init(code: UInt32) { self.code = code }

    /// The four characters.
    package var description: String {
        String(unsafeUninitializedCapacity: 4) { bytes in
            for index in 0..<4 { bytes[index] = UInt8(truncatingIfNeeded: code >> (24 - 8 * index)) }
            return 4
        }
    }

    /// The order of the codes.
    package static func < (left: AttributeName, right: AttributeName) -> Bool { left.code < right.code }
}

extension AttributeName: ExpressibleByStringLiteral {
    /// A name written in a table; anything but four ASCII characters is a mistake in the table.
    package init(stringLiteral text: StaticString) {
        precondition(text.utf8CodeUnitCount == 4 && text.isASCII, "an attribute name has four ASCII characters")
        code = text.withUTF8Buffer { $0.reduce(0) { $0 << 8 | UInt32($1) } }
    }
}

extension AttributeName {
    /// `kSecAttrAccessGroup`.
    package static let accessGroup: AttributeName = "agrp"
    /// `kSecAttrAccessible`.
    package static let accessible: AttributeName = "pdmn"
    /// `kSecAttrAccessControl`.
    package static let accessControl: AttributeName = "accc"
    /// `kSecAttrAccount`.
    package static let account: AttributeName = "acct"
    /// `kSecAttrCreationDate`.
    package static let creationDate: AttributeName = "cdat"
    /// `kSecAttrModificationDate`.
    package static let modificationDate: AttributeName = "mdat"
    /// `kSecAttrIssuer`.
    package static let issuer: AttributeName = "issr"
    /// `kSecAttrIsPrivate`.
    package static let isPrivate: AttributeName = "priv"
    /// `kSecAttrKeyClass`.
    package static let keyClass: AttributeName = "kcls"
    /// `kSecAttrApplicationLabel`: of a key the hash of its public key.
    package static let applicationLabel: AttributeName = "klbl"
    /// `kSecAttrLabel`.
    package static let label: AttributeName = "labl"
    /// `kSecAttrPublicKeyHash`.
    package static let publicKeyHash: AttributeName = "pkhh"
    /// `kSecAttrServer`.
    package static let server: AttributeName = "srvr"
    /// `kSecAttrService`.
    package static let service: AttributeName = "svce"
    /// `kSecAttrSubject`.
    package static let subject: AttributeName = "subj"
    /// `kSecAttrSynchronizable`.
    package static let synchronizable: AttributeName = "sync"
    /// `kSecAttrSyncViewHint`, which is private.
    package static let viewHint: AttributeName = "vwht"
    /// `kSecAttrTokenID`.
    package static let tokenID: AttributeName = "tkid"
    /// The digest of an item.
    package static let digest: AttributeName = "sha1"
    /// The sharing group.
    package static let sharingGroup: AttributeName = "ggrp"
    /// The tombstone flag.
    package static let tombstone: AttributeName = "tomb"
    /// The multi-user identifier.
    package static let user: AttributeName = "musr"
    /// The app clip flag.
    package static let appClip: AttributeName = "clip"
    /// The system-bound flag.
    package static let systemBound: AttributeName = "sysb"
    /// The lookup attributes of an item (``LookupRecord``), which no dictionary contains.
    package static let lookup: AttributeName = "lkup"
    /// The former values of an item (``HistoryRecord``), which no dictionary contains.
    package static let history: AttributeName = "hist"
}
