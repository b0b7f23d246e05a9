// SPDX-License-Identifier: Apache-2.0

import Foundation
import Security

/// Stores any `Codable` value as JSON.
struct CodableKeychain: Sendable {
    enum Failure: Error, Equatable {
        case status(OSStatus)
        case notData
    }

    let service: String
    var synchronizable = false

    func save<Value: Encodable>(_ value: Value, for key: String) throws {
        let data = try JSONEncoder().encode(value)
        let query = self.query(for: key)
        switch SecItemUpdate(query as CFDictionary, [kSecValueData as String: data] as CFDictionary) {
        case errSecSuccess:
            return
        case errSecItemNotFound:
            let attributes = query.merging([
                kSecValueData as String: data,
                kSecAttrLabel as String: "\(Value.self)",
                kSecAttrAccessible as String: kSecAttrAccessibleAfterFirstUnlock,
            ]) { $1 }
            let status = SecItemAdd(attributes as CFDictionary, nil)
            guard status == errSecSuccess else { throw Failure.status(status) }
        case let status:
            throw Failure.status(status)
        }
    }

    func load<Value: Decodable>(_ type: Value.Type = Value.self, for key: String) throws -> Value? {
        var query = self.query(for: key)
        query[kSecMatchLimit as String] = kSecMatchLimitOne
        query[kSecReturnData as String] = kCFBooleanTrue as Any

        var item: CFTypeRef?
        let status = SecItemCopyMatching(query as CFDictionary, &item)
        if status == errSecItemNotFound { return nil }
        guard status == errSecSuccess else { throw Failure.status(status) }
        guard let data = item as? Data else { throw Failure.notData }
        return try JSONDecoder().decode(type, from: data)
    }

    func remove(_ key: String) throws {
        let status = SecItemDelete(query(for: key) as CFDictionary)
        guard status == errSecSuccess || status == errSecItemNotFound else { throw Failure.status(status) }
    }

    /// Every value of one type, by its key.
    func loadAll<Value: Decodable>(_ type: Value.Type = Value.self) throws -> [String: Value] {
        let query: [String: Any] = [
            kSecClass as String: kSecClassGenericPassword,
            kSecAttrService as String: service,
            kSecAttrLabel as String: "\(Value.self)",
            kSecAttrSynchronizable as String: kSecAttrSynchronizableAny,
            kSecMatchLimit as String: kSecMatchLimitAll,
            kSecReturnAttributes as String: true,
            kSecReturnData as String: true,
        ]
        var items: CFTypeRef?
        let status = SecItemCopyMatching(query as CFDictionary, &items)
        if status == errSecItemNotFound { return [:] }
        guard status == errSecSuccess else { throw Failure.status(status) }
        guard let rows = items as? [[String: Any]] else { throw Failure.notData }
        var values: [String: Value] = [:]
        for row in rows {
            guard let key = row[kSecAttrAccount as String] as? String,
                let data = row[kSecValueData as String] as? Data
            else { throw Failure.notData }
            values[key] = try JSONDecoder().decode(type, from: data)
        }
        return values
    }

    private func query(for key: String) -> [String: Any] {
        [
            kSecClass as String: kSecClassGenericPassword,
            kSecAttrService as String: service,
            kSecAttrAccount as String: key,
            kSecAttrSynchronizable as String: synchronizable,
        ]
    }
}

/// The same store for callers that wait.
actor KeychainCache {
    private let keychain: CodableKeychain
    private var cached: [String: Data] = [:]

    init(service: String) {
        keychain = CodableKeychain(service: service)
    }

    func token(_ key: String) throws -> Data? {
        if let value = cached[key] { return value }
        let value: Data? = try keychain.load(for: key)
        cached[key] = value
        return value
    }

    func setToken(_ value: Data, for key: String) throws {
        try keychain.save(value, for: key)
        cached[key] = value
    }
}
