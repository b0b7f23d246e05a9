// SPDX-License-Identifier: Apache-2.0

public import Foundation
import KeychainCore

// The strings are safe to share because they never change.

/// Every operation.
nonisolated(unsafe) public let kSecACLAuthorizationAny: CFString = "ACLAuthorizationAny"
/// Logging in to a token.
nonisolated(unsafe) public let kSecACLAuthorizationLogin: CFString = "ACLAuthorizationLogin"
/// Making a key.
nonisolated(unsafe) public let kSecACLAuthorizationGenKey: CFString = "ACLAuthorizationGenKey"
/// Deleting the item.
nonisolated(unsafe) public let kSecACLAuthorizationDelete: CFString = "ACLAuthorizationDelete"
/// Exporting a key that is encrypted.
nonisolated(unsafe) public let kSecACLAuthorizationExportWrapped: CFString = "ACLAuthorizationExportWrapped"
/// Exporting a key in the clear.
nonisolated(unsafe) public let kSecACLAuthorizationExportClear: CFString = "ACLAuthorizationExportClear"
/// Importing a key that is encrypted.
nonisolated(unsafe) public let kSecACLAuthorizationImportWrapped: CFString = "ACLAuthorizationImportWrapped"
/// Importing a key in the clear.
nonisolated(unsafe) public let kSecACLAuthorizationImportClear: CFString = "ACLAuthorizationImportClear"
/// Signing.
nonisolated(unsafe) public let kSecACLAuthorizationSign: CFString = "ACLAuthorizationSign"
/// Encrypting.
nonisolated(unsafe) public let kSecACLAuthorizationEncrypt: CFString = "ACLAuthorizationEncrypt"
/// Decrypting, and so reading the secret of a password.
nonisolated(unsafe) public let kSecACLAuthorizationDecrypt: CFString = "ACLAuthorizationDecrypt"
/// Making or verifying a message authentication code.
nonisolated(unsafe) public let kSecACLAuthorizationMAC: CFString = "ACLAuthorizationMAC"
/// Deriving a key.
nonisolated(unsafe) public let kSecACLAuthorizationDerive: CFString = "ACLAuthorizationDerive"
/// Making a keychain.
nonisolated(unsafe) public let kSecACLAuthorizationKeychainCreate: CFString = "ACLAuthorizationKeychainCreate"
/// Deleting a keychain.
nonisolated(unsafe) public let kSecACLAuthorizationKeychainDelete: CFString = "ACLAuthorizationKeychainDelete"
/// Reading an item of a keychain.
nonisolated(unsafe) public let kSecACLAuthorizationKeychainItemRead: CFString = "ACLAuthorizationKeychainItemRead"
/// Adding an item to a keychain.
nonisolated(unsafe) public let kSecACLAuthorizationKeychainItemInsert: CFString = "ACLAuthorizationKeychainItemInsert"
/// Changing an item of a keychain.
nonisolated(unsafe) public let kSecACLAuthorizationKeychainItemModify: CFString = "ACLAuthorizationKeychainItemModify"
/// Deleting an item of a keychain.
nonisolated(unsafe) public let kSecACLAuthorizationKeychainItemDelete: CFString = "ACLAuthorizationKeychainItemDelete"
/// Changing the access list: the entry is that of the owner, of which each access list has exactly one.
nonisolated(unsafe) public let kSecACLAuthorizationChangeACL: CFString = "ACLAuthorizationChangeACL"
/// Changing the owner of the access.
nonisolated(unsafe) public let kSecACLAuthorizationChangeOwner: CFString = "ACLAuthorizationChangeOwner"
/// No operation: the entry is the partition list, which is in its description.
nonisolated(unsafe) public let kSecACLAuthorizationPartitionID: CFString = "ACLAuthorizationPartitionID"
/// No operation: the entry marks the attributes as unchanged.
nonisolated(unsafe) public let kSecACLAuthorizationIntegrity: CFString = "ACLAuthorizationIntegrity"

extension AccessAuthorization {
    /// The string of the operation.
    var constant: CFString {
        switch self {
        case .any: kSecACLAuthorizationAny
        case .login: kSecACLAuthorizationLogin
        case .generateKey: kSecACLAuthorizationGenKey
        case .delete: kSecACLAuthorizationDelete
        case .exportWrapped: kSecACLAuthorizationExportWrapped
        case .exportClear: kSecACLAuthorizationExportClear
        case .importWrapped: kSecACLAuthorizationImportWrapped
        case .importClear: kSecACLAuthorizationImportClear
        case .sign: kSecACLAuthorizationSign
        case .encrypt: kSecACLAuthorizationEncrypt
        case .decrypt: kSecACLAuthorizationDecrypt
        case .mac: kSecACLAuthorizationMAC
        case .derive: kSecACLAuthorizationDerive
        case .createKeychain: kSecACLAuthorizationKeychainCreate
        case .deleteKeychain: kSecACLAuthorizationKeychainDelete
        case .readItem: kSecACLAuthorizationKeychainItemRead
        case .insertItem: kSecACLAuthorizationKeychainItemInsert
        case .modifyItem: kSecACLAuthorizationKeychainItemModify
        case .deleteItem: kSecACLAuthorizationKeychainItemDelete
        case .changeAccess: kSecACLAuthorizationChangeACL
        case .changeOwner: kSecACLAuthorizationChangeOwner
        case .partitions: kSecACLAuthorizationPartitionID
        case .integrity: kSecACLAuthorizationIntegrity
        }
    }

    /// The operation of a string; `nil` if it is not one.
    init?(_ object: Any) {
        guard let text = object as? String,
            let known = Self.allCases.first(where: { $0.constant.isEqual(to: text) })
        else { return nil }
        self = known
    }
}
