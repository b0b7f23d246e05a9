// SPDX-License-Identifier: Apache-2.0
//
// A table: long on purpose.

import PortableSecurity

/// The meaning of each status for a program, and the remedy.
enum StatusGuide {
    struct Row: Sendable {
        let status: OSStatus
        let kind: KeychainItemError.Kind
        let reason: String
        let advice: String

        init(_ status: OSStatus, _ kind: KeychainItemError.Kind, _ reason: String, _ advice: String) {
            self.status = status
            self.kind = kind
            self.reason = reason
            self.advice = advice
        }
    }

    /// The row of a status, and of a kind if the status has several.
    static func row(of status: OSStatus, _ kind: KeychainItemError.Kind? = nil) -> Row {
        let candidates = rows.filter { $0.status == status }
        let found = kind.map { kind in candidates.first { $0.kind == kind } ?? rows.first { $0.kind == kind } }
        if let row = found ?? candidates.first { return row }
        return Row(status, kind ?? .other, "the keychain answered with this status", "look the status up in SecBase.h")
    }

    /// The first row of a status is the one that counts when nothing but the status is known.
    static let rows: [Row] = [
        Row(
            errSecInteractionNotAllowed,
            .locked,
            "the device is locked, and the item is not accessible in that state",
            "try again when the device is unlocked, or protect the item by .accessible(.afterFirstUnlock); do not replace it"
        ),
        Row(
            errSecInteractionNotAllowed,
            .authenticationRequired,
            "authentication is required, but interaction is not allowed or not possible",
            "call again where the user can be prompted, with authentication: .allowed"
        ),
        Row(
            errSecAuthFailed,
            .authenticationFailed,
            "the user did not meet the item's access control",
            "let the user try again; if the enrolled biometry has changed or the passcode was removed, delete the item and set it again"
        ),
        Row(
            errSecUserCanceled,
            .cancelled,
            "the authentication was cancelled",
            "change nothing until the user asks again"
        ),
        Row(
            errSecDuplicateItem,
            .duplicate,
            "there is an item with the same key",
            "set the item, or update or delete the existing one; a label or another attribute outside the primary key does not make a different item"
        ),
        Row(
            errSecMissingEntitlement,
            .missingEntitlement,
            "the app is not entitled to the access group, or has none at all",
            "name the group, with the team's prefix, in keychain-access-groups or the app groups of the entitlements"
        ),
        Row(
            errSecRestrictedAPI,
            .missingEntitlement,
            "an app clip may use its own access group only, and nothing that is synchronizable",
            "omit access group and synchronizable in the app clip"
        ),
        Row(
            errSecDecode,
            .damaged,
            "the item is damaged, or was stored by a keychain that this one cannot read",
            "delete the item and set it again; keep a copy of the keychain if it may be of use"
        ),
        Row(
            errSecDecode,
            .undecodableValue,
            "the stored value has another type",
            "read it as Data to inspect it, or set it again"
        ),
        Row(
            errSecParam,
            .invalidRequest,
            "the keychain does not take this combination of values",
            "read the reason; an item under an access control, for example, cannot be synchronizable"
        ),
        Row(
            errSecParam,
            .unencodableValue,
            "the value cannot be encoded",
            "see that what the value holds can be encoded"
        ),
        Row(
            errSecNoSuchAttr,
            .invalidRequest,
            "the class of the item has no such attribute",
            "omit the attribute: comments and kinds are for passwords, generic is for generic passwords"
        ),
        Row(
            errSecNoSuchClass,
            .invalidRequest,
            "there is no such class of items",
            "use one of the types of this module"
        ),
        Row(
            errSecUnimplemented,
            .invalidRequest,
            "the keychain does not implement this",
            "remove the key of the query that the keychain does not implement"
        ),
        Row(
            errSecItemNotFound,
            .other,
            "there is no such item any more",
            "read the item again: it was deleted meanwhile"
        ),
        Row(
            errSecNotAvailable,
            .unavailable,
            "the keychain is not available: it cannot be opened, or the item requires a passcode and none is set",
            "read the reason; for an item that requires a passcode, have the user set one"
        ),
        Row(
            errSecReadOnly,
            .notWritable,
            "the keychain cannot be changed",
            "see who may write to its files"
        ),
        Row(errSecDiskFull, .notWritable, "the disk is full", "make room and try again"),
        Row(
            errSecDataTooLarge,
            .invalidRequest,
            "the value is too large",
            "keep large data in a file, and its key here"
        ),
        Row(errSecIO, .unavailable, "reading or writing failed", "check the disk and the system log"),
        Row(errSecAllocate, .unavailable, "there is not enough memory", "try again later"),
        Row(
            errSecInternalComponent,
            .unavailable,
            "the keychain failed inside",
            "try again; report it when it stays"
        ),
        Row(
            -26276,
            .unavailable,
            "the keychain failed inside",
            "try again; report it when it stays"
        ),
        Row(
            errSecNoSuchKeychain,
            .other,
            "there is no keychain file of this name",
            "make it with SecKeychainCreate or 'security create-keychain', or correct the path"
        ),
        Row(
            errSecInvalidKeychain,
            .other,
            "the file is not a keychain, or it is damaged",
            "name a keychain file of this system, or put it back from a backup"
        ),
        Row(
            errSecDuplicateKeychain,
            .other,
            "there is a keychain file of this name already",
            "choose another name, or open the one that is there"
        ),
        Row(
            errSecNoDefaultKeychain,
            .other,
            "no keychain file is the default",
            "choose one with SecKeychainSetDefault or 'security default-keychain -s', or name one"
        ),
        Row(
            errSecInvalidItemRef,
            .other,
            "the item was removed from its keychain file",
            "search for it again"
        ),
        Row(
            errSecInvalidOwnerEdit,
            .other,
            "this program is not among those that may decrypt the item, and so may not delete it",
            "delete it with a program that its access list names"
        ),
        Row(
            errSecWrPerm,
            .other,
            "the file must not be written by this user",
            "correct the permissions of the file and its folder"
        ),
        Row(
            errSecInvalidACL,
            .other,
            "an entry of an access list cannot be used: it was removed, or does not say what it permits",
            "read the access list again, and change an entry of that one"
        ),
    ]
}
