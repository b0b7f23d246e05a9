// SPDX-License-Identifier: Apache-2.0

import Foundation
import Security

/// What can go wrong with a password item, with a text for people.
enum KeychainError: Error, Equatable, LocalizedError {
    case itemNotFound
    case duplicateItem
    case interactionNotAllowed
    case missingEntitlement
    case unexpectedItemData
    case unhandledError(status: OSStatus)

    init(status: OSStatus) {
        switch status {
        case errSecItemNotFound:
            self = .itemNotFound
        case errSecDuplicateItem:
            self = .duplicateItem
        case errSecInteractionNotAllowed, errSecInteractionRequired:
            self = .interactionNotAllowed
        case errSecMissingEntitlement:
            self = .missingEntitlement
        default:
            self = .unhandledError(status: status)
        }
    }

    var status: OSStatus {
        switch self {
        case .itemNotFound: return errSecItemNotFound
        case .duplicateItem: return errSecDuplicateItem
        case .interactionNotAllowed: return errSecInteractionNotAllowed
        case .missingEntitlement: return errSecMissingEntitlement
        case .unexpectedItemData: return errSecDecode
        case .unhandledError(let status): return status
        }
    }

    var errorDescription: String? {
        if let message = SecCopyErrorMessageString(status, nil) as String? {
            return message
        }
        return "Keychain error \(status)"
    }
}

/// The raw-value flavour: one case per status.
enum KeychainStatus: OSStatus, Error, CaseIterable {
    case success = 0
    case unimplemented = -4
    case param = -50
    case allocate = -108
    case userCanceled = -128
    case missingEntitlement = -34018
    case notAvailable = -25291
    case authFailed = -25293
    case duplicateItem = -25299
    case itemNotFound = -25300
    case noSuchAttribute = -25303
    case noSuchClass = -25306
    case interactionNotAllowed = -25308
    case decode = -26275
    case unexpectedError = -99999

    init(status: OSStatus) {
        self = KeychainStatus(rawValue: status) ?? .unexpectedError
    }

    var message: String {
        SecCopyErrorMessageString(rawValue, nil).map { $0 as String } ?? "no message"
    }
}

extension KeychainStatus: CustomNSError {
    static var errorDomain: String { "com.example.fieldcode.keychain" }
    var errorCode: Int { Int(rawValue) }
    var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: message] }
}

extension OSStatus {
    /// The system's text for a status.
    var secMessage: String {
        (SecCopyErrorMessageString(self, nil) ?? "unknown error" as CFString) as String
    }

    var isSecSuccess: Bool { self == errSecSuccess }

    func throwIfFailed(ignoring ignored: [OSStatus] = []) throws {
        guard ![errSecSuccess].contains(self), !ignored.contains(self) else { return }
        throw KeychainError(status: self)
    }
}

/// A password item in the style of the platform's own sample code.
struct KeychainPasswordItem {
    let service: String
    private(set) var account: String
    var accessGroup: String?

    func readPassword() throws -> String {
        var query = KeychainPasswordItem.query(withService: service, account: account, accessGroup: accessGroup)
        query[kSecMatchLimit as String] = kSecMatchLimitOne
        query[kSecReturnAttributes as String] = kCFBooleanTrue
        query[kSecReturnData as String] = kCFBooleanTrue

        var queryResult: AnyObject?
        let status = withUnsafeMutablePointer(to: &queryResult) {
            SecItemCopyMatching(query as CFDictionary, UnsafeMutablePointer($0))
        }
        guard status == noErr else { throw KeychainError(status: status) }

        guard let existingItem = queryResult as? [String: AnyObject],
            let passwordData = existingItem[kSecValueData as String] as? Data,
            let password = String(data: passwordData, encoding: .utf8)
        else {
            throw KeychainError.unexpectedItemData
        }
        return password
    }

    func addPassword(_ password: String) throws {
        var newItem = KeychainPasswordItem.query(withService: service, account: account, accessGroup: accessGroup)
        newItem[kSecValueData as String] = Data(password.utf8) as AnyObject?
        try SecItemAdd(newItem as CFDictionary, nil).throwIfFailed()
    }

    mutating func renameAccount(_ newAccountName: String) throws {
        let attributesToUpdate = [kSecAttrAccount as String: newAccountName as AnyObject]
        let query = KeychainPasswordItem.query(withService: service, account: account, accessGroup: accessGroup)
        let status = SecItemUpdate(query as CFDictionary, attributesToUpdate as CFDictionary)
        guard status == noErr || status == errSecItemNotFound else {
            throw KeychainError(status: status)
        }
        account = newAccountName
    }

    func deleteItem() throws {
        let query = KeychainPasswordItem.query(withService: service, account: account, accessGroup: accessGroup)
        try SecItemDelete(query as CFDictionary).throwIfFailed(ignoring: [errSecItemNotFound])
    }

    static func passwordItems(forService service: String, accessGroup: String? = nil) throws -> [KeychainPasswordItem] {
        var query = KeychainPasswordItem.query(withService: service, accessGroup: accessGroup)
        query[kSecMatchLimit as String] = kSecMatchLimitAll
        query[kSecReturnAttributes as String] = kCFBooleanTrue
        query[kSecReturnData as String] = kCFBooleanFalse

        var queryResult: AnyObject?
        let status = withUnsafeMutablePointer(to: &queryResult) {
            SecItemCopyMatching(query as CFDictionary, UnsafeMutablePointer($0))
        }
        guard status != errSecItemNotFound else { return [] }
        try status.throwIfFailed()

        guard let resultData = queryResult as? [[String: AnyObject]] else { throw KeychainError.unexpectedItemData }
        return try resultData.map { result in
            guard let account = result[kSecAttrAccount as String] as? String else {
                throw KeychainError.unexpectedItemData
            }
            return KeychainPasswordItem(service: service, account: account, accessGroup: accessGroup)
        }
    }

    private static func query(
        withService service: String,
        account: String? = nil,
        accessGroup: String? = nil
    ) -> [String: AnyObject] {
        var query: [String: AnyObject] = [:]
        query[kSecClass as String] = kSecClassGenericPassword
        query[kSecAttrService as String] = service as AnyObject?
        if let account = account {
            query[kSecAttrAccount as String] = account as AnyObject?
        }
        if let accessGroup = accessGroup {
            query[kSecAttrAccessGroup as String] = accessGroup as AnyObject?
        }
        return query
    }
}
