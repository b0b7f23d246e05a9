// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Strings and data in the keychain, by their keys.
public final class Lockbox {
    /// The items of this app.
    public static var standard: Lockbox { Lockbox() }

    private let service: String
    private let accessibility: LockboxAccessibility

    /// The items of a service, which is the app if none is named.
    public init(service: String? = nil, accessibility: LockboxAccessibility = .whenUnlocked) {
        // As many wrappers do it: a program without an identifier ends here.
        guard let service = service ?? Bundle.main.bundleIdentifier else { fatalError("no bundle identifier") }
        self.service = service
        self.accessibility = accessibility
    }

    /// A string; `nil` when there is none, and when it cannot be read.
    public subscript(key: String) -> String? {
        get { try? string(key) }
        set {
            if let newValue { try? set(newValue, key: key) } else { try? remove(key) }
        }
    }

    /// The string of a key, if there is one.
    public func string(_ key: String) throws -> String? {
        try data(key).flatMap { String(data: $0, encoding: .utf8) }
    }

    /// The data of a key, if there is one.
    public func data(_ key: String) throws -> Data? {
        var query = self.query(key)
        query[kSecReturnData as String] = kCFBooleanTrue
        query[kSecMatchLimit as String] = kSecMatchLimitOne
        var result: AnyObject?
        switch SecItemCopyMatching(query as CFDictionary, &result) {
        case errSecSuccess: return result as? Data
        case errSecItemNotFound: return nil
        case let status: throw LockboxError(status: status)
        }
    }

    /// Keeps a string.
    public func set(_ value: String, key: String) throws { try set(Data(value.utf8), key: key) }

    /// Keeps data.
    public func set(_ value: Data, key: String) throws {
        let attributes: [String: Any] = [
            kSecValueData as String: value, kSecAttrAccessible as String: accessibility.attribute,
        ]
        var status = SecItemUpdate(query(key) as CFDictionary, attributes as CFDictionary)
        if status == errSecItemNotFound {
            status = SecItemAdd(query(key).merging(attributes) { $1 } as CFDictionary, nil)
        }
        guard status == errSecSuccess else { throw LockboxError(status: status) }
    }

    /// Removes what a key has.
    public func remove(_ key: String) throws { try delete(query(key)) }

    /// Removes everything of the service.
    public func removeAll() throws {
        var query = self.query(nil)
        // The keychain of macOS deletes one item only unless it is told otherwise.
        #if !os(iOS)
        query[kSecMatchLimit as String] = kSecMatchLimitAll
        #endif
        try delete(query)
    }

    private func delete(_ query: [String: Any]) throws {
        let status = SecItemDelete(query as CFDictionary)
        guard status == errSecSuccess || status == errSecItemNotFound else { throw LockboxError(status: status) }
    }

    private func query(_ key: String?) -> [String: Any] {
        var query: [String: Any] = [
            kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: service,
        ]
        query[kSecAttrAccount as String] = key
        return query
    }
}
