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

        init(_ status: OSStatus, _ kind: KeychainItemError.Kind, reason: String, advice: String) {
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
        return Row(
            status,
            kind ?? .other,
            reason: "the keychain answered with this status",
            advice: "look the status up in SecBase.h"
        )
    }

    /// The first row of a status is the one that counts when nothing but the status is known.
    static let rows: [Row] = [
        Row(
            errSecInteractionNotAllowed,
            .locked,
            reason: "the device is locked, and the item is not accessible in that state",
            advice:
                "try again when the device is unlocked, or protect the item by .accessible(.afterFirstUnlock); do not replace it"
        ),
        Row(
            errSecInteractionNotAllowed,
            .authenticationRequired,
            reason: "authentication is required, but interaction is not allowed or not possible",
            advice: "call again where the user can be prompted, with authentication: .allowed"
        ),
        Row(
            errSecAuthFailed,
            .authenticationFailed,
            reason: "the user did not meet the item's access control",
            advice:
                "let the user try again; if the enrolled biometry has changed or the passcode was removed, delete the item and set it again"
        ),
        Row(
            errSecUserCanceled,
            .cancelled,
            reason: "the authentication was cancelled",
            advice: "change nothing until the user asks again"
        ),
        Row(
            errSecDuplicateItem,
            .duplicate,
            reason: "there is an item with the same key",
            advice:
                "set the item, or update or delete the existing one; a label or another attribute outside the primary key does not make a different item"
        ),
        Row(
            errSecMissingEntitlement,
            .missingEntitlement,
            reason: "the app is not entitled to the access group, or has none at all",
            advice:
                "name the group, with the team's prefix, in keychain-access-groups or the app groups of the entitlements"
        ),
        Row(
            errSecRestrictedAPI,
            .missingEntitlement,
            reason: "an app clip may use its own access group only, and nothing that is synchronizable",
            advice: "omit access group and synchronizable in the app clip"
        ),
        Row(
            errSecDecode,
            .damaged,
            reason: "the item is damaged, or was stored by a keychain that this one cannot read",
            advice: "delete the item and set it again; keep a copy of the keychain if it may be of use"
        ),
        Row(
            errSecDecode,
            .undecodableValue,
            reason: "the stored value has another type",
            advice: "read it as Data to inspect it, or set it again"
        ),
        Row(
            errSecParam,
            .invalidRequest,
            reason: "the keychain does not take this combination of values",
            advice: "read the reason; an item under an access control, for example, cannot be synchronizable"
        ),
        Row(
            errSecParam,
            .unencodableValue,
            reason: "the value cannot be encoded",
            advice: "see that what the value holds can be encoded"
        ),
        Row(
            errSecNoSuchAttr,
            .invalidRequest,
            reason: "the class of the item has no such attribute",
            advice: "omit the attribute: comments and kinds are for passwords, generic is for generic passwords"
        ),
        Row(
            errSecNoSuchClass,
            .invalidRequest,
            reason: "there is no such class of items",
            advice: "use one of the types of this module"
        ),
        Row(
            errSecUnimplemented,
            .invalidRequest,
            reason: "the keychain does not implement this",
            advice: "remove the key of the query that the keychain does not implement"
        ),
        Row(
            errSecItemNotFound,
            .other,
            reason: "there is no such item any more",
            advice: "read the item again: it was deleted meanwhile"
        ),
        Row(
            errSecNotAvailable,
            .unavailable,
            reason:
                "the keychain is not available: it cannot be opened, or the item requires a passcode and none is set",
            advice: "read the reason; for an item that requires a passcode, have the user set one"
        ),
        Row(
            errSecReadOnly,
            .notWritable,
            reason: "the keychain cannot be changed",
            advice: "see who may write to its files"
        ),
        Row(errSecDiskFull, .notWritable, reason: "the disk is full", advice: "make room and try again"),
        Row(
            errSecDataTooLarge,
            .invalidRequest,
            reason: "the value is too large",
            advice: "keep large data in a file, and its key here"
        ),
        Row(errSecIO, .unavailable, reason: "reading or writing failed", advice: "check the disk and the system log"),
        Row(errSecAllocate, .unavailable, reason: "there is not enough memory", advice: "try again later"),
        Row(
            errSecInternalComponent,
            .unavailable,
            reason: "the keychain failed inside",
            advice: "try again; report it when it stays"
        ),
        Row(
            -26276,
            .unavailable,
            reason: "the keychain failed inside",
            advice: "try again; report it when it stays"
        ),
        Row(
            errSecNoSuchKeychain,
            .other,
            reason: "there is no keychain file of this name",
            advice: "make it with SecKeychainCreate or 'security create-keychain', or correct the path"
        ),
        Row(
            errSecInvalidKeychain,
            .other,
            reason: "the file is not a keychain, or it is damaged",
            advice: "name a keychain file of this system, or put it back from a backup"
        ),
        Row(
            errSecDuplicateKeychain,
            .other,
            reason: "there is a keychain file of this name already",
            advice: "choose another name, or open the one that is there"
        ),
        Row(
            errSecNoDefaultKeychain,
            .other,
            reason: "no keychain file is the default",
            advice: "choose one with SecKeychainSetDefault or 'security default-keychain -s', or name one"
        ),
        Row(
            errSecInvalidItemRef,
            .other,
            reason: "the item was removed from its keychain file",
            advice: "search for it again"
        ),
        Row(
            errSecInvalidOwnerEdit,
            .other,
            reason: "this program is not among those that may decrypt the item, and so may not delete it",
            advice: "delete it with a program that its access list names"
        ),
        Row(
            errSecWrPerm,
            .other,
            reason: "the file must not be written by this user",
            advice: "correct the permissions of the file and its folder"
        ),
        Row(
            errSecInvalidACL,
            .other,
            reason: "an entry of an access list cannot be used: it was removed, or does not say what it permits",
            advice: "read the access list again, and change an entry of that one"
        ),
    ]
}
