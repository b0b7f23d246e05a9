// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file: NeverForceUnwrap

import Foundation
import Security

/// The style of code that was once Objective-C: mutable dictionaries and forced casts.
final class DictionaryKeychain: NSObject {
    private let service: NSString

    init(service: String) {
        self.service = service as NSString
        super.init()
    }

    private func genericQuery(_ account: String) -> NSMutableDictionary {
        let query = NSMutableDictionary()
        query.setValue(kSecClassGenericPassword, forKey: kSecClass as String)
        query.setValue(service, forKey: kSecAttrService as String)
        query.setObject(account, forKey: kSecAttrAccount as any NSCopying)
        return query
    }

    func save(_ data: NSData, account: String) -> OSStatus {
        let query = genericQuery(account)
        SecItemDelete(query as CFDictionary)
        query[kSecValueData] = data
        query[kSecAttrAccessible as String] = kSecAttrAccessibleWhenUnlocked
        return SecItemAdd(query, nil)
    }

    func load(_ account: String) -> NSData? {
        let query = genericQuery(account)
        query.setObject(kCFBooleanTrue!, forKey: kSecReturnData as NSString)
        query[kSecMatchLimit as NSString] = kSecMatchLimitOne

        var dataTypeRef: CFTypeRef?
        let status = withUnsafeMutablePointer(to: &dataTypeRef) {
            SecItemCopyMatching(query as CFDictionary, UnsafeMutablePointer($0))
        }
        guard status == errSecSuccess, let found = dataTypeRef else { return nil }
        return (found as! NSData)
    }

    /// The same with a literal, and a cast by way of the Core Foundation type.
    func loadFromLiteral(_ account: String) -> Data? {
        let query: NSDictionary = [
            kSecClass: kSecClassGenericPassword,
            kSecAttrService: service,
            kSecAttrAccount: account,
            kSecReturnData: kCFBooleanTrue as Any,
            kSecMatchLimit: kSecMatchLimitOne,
        ]
        var result: AnyObject?
        guard SecItemCopyMatching(query, &result) == errSecSuccess else { return nil }
        return result as! CFData as Data
    }

    /// The same with parallel arrays of keys and objects.
    func loadFromArrays(_ account: String) -> Data? {
        let query = NSMutableDictionary(
            objects: [
                kSecClassGenericPassword as NSString, service, account as NSString, kCFBooleanTrue!,
                kSecMatchLimitOne as NSString,
            ],
            forKeys: [
                kSecClass as NSString, kSecAttrService as NSString, kSecAttrAccount as NSString,
                kSecReturnData as NSString, kSecMatchLimit as NSString,
            ]
        )
        let result = UnsafeMutablePointer<CFTypeRef?>.allocate(capacity: 1)
        result.initialize(to: nil)
        defer {
            result.deinitialize(count: 1)
            result.deallocate()
        }
        guard SecItemCopyMatching(query, result) == errSecSuccess else { return nil }
        return result.pointee as? Data
    }

    func update(_ data: Data, account: String) -> OSStatus {
        let changes: [String: AnyObject] = [kSecValueData as String: data as AnyObject]
        return SecItemUpdate(genericQuery(account), changes as NSDictionary)
    }

    func attributes(_ account: String) -> NSDictionary? {
        let query = genericQuery(account)
        query[kSecReturnAttributes] = true
        var result: CFTypeRef?
        guard SecItemCopyMatching(query, &result) == errSecSuccess else { return nil }
        return result as? NSDictionary
    }

    func delete(_ account: String) -> Bool {
        SecItemDelete(genericQuery(account)) == errSecSuccess
    }
}

/// The other half of that age: `[String: AnyObject]`, with constants and values as plain objects.
enum ObjectKeychain {
    static func query(service: String, account: String?, returnsData: Bool = false) -> [String: AnyObject] {
        var query: [String: AnyObject] = [
            kSecClass as String: kSecClassGenericPassword,
            kSecAttrService as String: service as AnyObject,
            kSecAttrSynchronizable as String: kCFBooleanFalse,
        ]
        if let account = account { query[kSecAttrAccount as String] = account as NSString }
        if returnsData {
            query[kSecReturnData as String] = kCFBooleanTrue
            query[kSecReturnAttributes as String] = true as AnyObject
            query[kSecMatchLimit as String] = kSecMatchLimitOne
        }
        return query
    }

    static func add(_ password: String, service: String, account: String) -> OSStatus {
        var item = query(service: service, account: account)
        item[kSecValueData as String] = password.data(using: .utf8) as AnyObject?
        item[kSecAttrAccessible as String] = kSecAttrAccessibleAfterFirstUnlock
        return SecItemAdd(item as CFDictionary, nil)
    }

    static func password(service: String, account: String) -> String? {
        var result: AnyObject?
        let query = query(service: service, account: account, returnsData: true)
        guard SecItemCopyMatching(query as CFDictionary, &result) == errSecSuccess,
            let item = result as? [String: AnyObject],
            let data = item[kSecValueData as String] as? NSData
        else { return nil }
        return NSString(data: data as Data, encoding: String.Encoding.utf8.rawValue) as String?
    }

    static func copy(value constant: AnyObject, as key: CFTypeRef = kSecClass) -> OSStatus {
        SecItemCopyMatching([key as! CFString: constant] as CFDictionary, nil)
    }
}
