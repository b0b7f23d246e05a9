// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file: NeverForceUnwrap

import Foundation
import Security

/// When the items of a wrapper can be read.
enum KeychainItemAccessibility: CaseIterable {
    case afterFirstUnlock
    case afterFirstUnlockThisDeviceOnly
    case whenPasscodeSetThisDeviceOnly
    case whenUnlocked
    case whenUnlockedThisDeviceOnly

    var attributeValue: CFString {
        switch self {
        case .afterFirstUnlock: return kSecAttrAccessibleAfterFirstUnlock
        case .afterFirstUnlockThisDeviceOnly: return kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly
        case .whenPasscodeSetThisDeviceOnly: return kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly
        case .whenUnlocked: return kSecAttrAccessibleWhenUnlocked
        case .whenUnlockedThisDeviceOnly: return kSecAttrAccessibleWhenUnlockedThisDeviceOnly
        }
    }

    static func accessibility(forAttributeValue value: CFString) -> KeychainItemAccessibility? {
        for accessibility in allCases where accessibility.attributeValue == value {
            return accessibility
        }
        return nil
    }
}

private let secClass = kSecClass as String
private let secMatchLimit = kSecMatchLimit as String
private let secReturnData = kSecReturnData as String
private let secReturnAttributes = kSecReturnAttributes as String
private let secValueData = kSecValueData as String
private let secAttrAccessible = String(kSecAttrAccessible)
private let secAttrService = String(kSecAttrService)
private let secAttrGeneric = String(kSecAttrGeneric)
private let secAttrAccount = String(kSecAttrAccount)
private let secAttrAccessGroup = String(kSecAttrAccessGroup)

/// The settings-like wrapper that nearly every app has at some time had.
final class KeychainWrapper {
    let serviceName: String
    let accessGroup: String?

    init(serviceName: String, accessGroup: String? = nil) {
        self.serviceName = serviceName
        self.accessGroup = accessGroup
    }

    // MARK: Looking

    func hasValue(forKey key: String) -> Bool {
        var query = baseQuery(forKey: key)
        query[secMatchLimit] = kSecMatchLimitOne
        return SecItemCopyMatching(query as CFDictionary, nil) == errSecSuccess
    }

    func accessibility(ofKey key: String) -> KeychainItemAccessibility? {
        guard let value = attributes(forKey: key)?[secAttrAccessible] as? String else { return nil }
        return KeychainItemAccessibility.accessibility(forAttributeValue: value as CFString)
    }

    func attributes(forKey key: String) -> [String: Any]? {
        var query = baseQuery(forKey: key)
        query[secMatchLimit] = kSecMatchLimitOne
        query[secReturnAttributes] = kCFBooleanTrue

        var result: AnyObject?
        let status = SecItemCopyMatching(query as CFDictionary, &result)
        guard status == noErr else { return nil }
        return result as? [String: Any]
    }

    func allKeys() -> Set<String> {
        var query: [String: Any] = [
            secClass: kSecClassGenericPassword,
            secAttrService: serviceName,
            secReturnAttributes: kCFBooleanTrue!,
            secMatchLimit: kSecMatchLimitAll,
        ]
        if let accessGroup = accessGroup {
            query[secAttrAccessGroup] = accessGroup
        }

        var result: AnyObject?
        let status = SecItemCopyMatching(query as CFDictionary, &result)
        guard status == errSecSuccess else { return [] }

        var keys = Set<String>()
        if let results = result as? [[AnyHashable: Any]] {
            for attributes in results {
                if let accountData = attributes[secAttrAccount] as? Data,
                    let key = String(data: accountData, encoding: .utf8)
                {
                    keys.insert(key)
                } else if let account = attributes[kSecAttrAccount] as? String {
                    keys.insert(account)
                }
            }
        }
        return keys
    }

    // MARK: Reading

    func data(forKey key: String) -> Data? {
        var query = baseQuery(forKey: key)
        query[secMatchLimit] = kSecMatchLimitOne
        query[secReturnData] = kCFBooleanTrue

        var result: AnyObject?
        let status = SecItemCopyMatching(query as CFDictionary, &result)
        return status == noErr ? result as? Data : nil
    }

    func string(forKey key: String) -> String? {
        guard let data = data(forKey: key) else { return nil }
        return String(data: data, encoding: .utf8)
    }

    func integer(forKey key: String) -> Int? {
        number(forKey: key)?.intValue
    }

    func double(forKey key: String) -> Double? {
        number(forKey: key)?.doubleValue
    }

    func bool(forKey key: String) -> Bool? {
        number(forKey: key)?.boolValue
    }

    private func number(forKey key: String) -> NSNumber? {
        guard let text = string(forKey: key), let value = Double(text) else { return nil }
        return NSNumber(value: value)
    }

    // MARK: Writing

    @discardableResult
    func set(_ value: String, forKey key: String, withAccessibility level: KeychainItemAccessibility? = nil) -> Bool {
        guard let data = value.data(using: .utf8) else { return false }
        return set(data, forKey: key, withAccessibility: level)
    }

    @discardableResult
    func set(_ value: Int, forKey key: String, withAccessibility level: KeychainItemAccessibility? = nil) -> Bool {
        set(NSNumber(value: value).stringValue, forKey: key, withAccessibility: level)
    }

    @discardableResult
    func set(_ value: Double, forKey key: String, withAccessibility level: KeychainItemAccessibility? = nil) -> Bool {
        set(NSNumber(value: value).stringValue, forKey: key, withAccessibility: level)
    }

    @discardableResult
    func set(_ value: Bool, forKey key: String, withAccessibility level: KeychainItemAccessibility? = nil) -> Bool {
        set(value ? 1 : 0, forKey: key, withAccessibility: level)
    }

    @discardableResult
    func set(_ value: Data, forKey key: String, withAccessibility level: KeychainItemAccessibility? = nil) -> Bool {
        var query = baseQuery(forKey: key)
        query[secValueData] = value
        // The default of the platform: readable while the device is unlocked.
        query[secAttrAccessible] = (level ?? .whenUnlocked).attributeValue

        let status = SecItemAdd(query as CFDictionary, nil)
        if status == errSecDuplicateItem {
            return update(value, forKey: key, withAccessibility: level)
        }
        return status == errSecSuccess
    }

    @discardableResult
    func removeObject(forKey key: String) -> Bool {
        SecItemDelete(baseQuery(forKey: key) as CFDictionary) == errSecSuccess
    }

    /// Removes all that this wrapper's service holds.
    @discardableResult
    func removeAllKeys() -> Bool {
        var query: [String: Any] = [secClass: kSecClassGenericPassword]
        query[secAttrService] = serviceName
        if let accessGroup = accessGroup {
            query[secAttrAccessGroup] = accessGroup
        }
        return SecItemDelete(query as CFDictionary) == errSecSuccess
    }

    private func update(_ value: Data, forKey key: String, withAccessibility level: KeychainItemAccessibility?) -> Bool
    {
        var changes: [String: Any] = [secValueData: value]
        if let level = level {
            changes[secAttrAccessible] = level.attributeValue
        }
        return SecItemUpdate(baseQuery(forKey: key) as CFDictionary, changes as CFDictionary) == errSecSuccess
    }

    private func baseQuery(forKey key: String) -> [String: Any] {
        var query: [String: Any] = [secClass: kSecClassGenericPassword]
        query[secAttrService] = serviceName
        if let accessGroup = accessGroup {
            query[secAttrAccessGroup] = accessGroup
        }
        let encodedKey = key.data(using: .utf8)
        query[secAttrGeneric] = encodedKey
        query[secAttrAccount] = encodedKey
        return query
    }
}
