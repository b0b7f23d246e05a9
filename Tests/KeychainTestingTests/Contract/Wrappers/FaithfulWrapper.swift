// SPDX-License-Identifier: Apache-2.0

import KeychainTesting
import Security

/// A wrapper as it should be: update, then add; absent is nil, and every other status an error.
struct FaithfulWrapper: AddingPasswordStoreContractSubject, ListingPasswordStoreContractSubject,
    ClearingPasswordStoreContractSubject, GroupedPasswordStoreContractSubject, ConcurrentContractSubject
{
    struct Failure: Error { let status: OSStatus }

    func set(_ password: Data, service: String, account: String) throws {
        try set(password, query(service, account))
    }

    func get(service: String, account: String) throws -> Data? { try get(query(service, account)) }

    func delete(service: String, account: String) throws {
        try check(SecItemDelete(query(service, account) as CFDictionary))
    }

    func add(_ password: Data, service: String, account: String) throws {
        try check(SecItemAdd(adding(password, query(service, account)) as CFDictionary, nil))
    }

    func accounts(service: String) throws -> [String] {
        let query: [String: Any] = [
            kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: service,
            kSecReturnAttributes as String: true, kSecMatchLimit as String: kSecMatchLimitAll,
        ]
        var result: CFTypeRef?
        let status = SecItemCopyMatching(query as CFDictionary, &result)
        if status == errSecItemNotFound { return [] }
        try check(status)
        return (result as? [[String: Any]] ?? []).compactMap { $0[kSecAttrAccount as String] as? String }
    }

    func deleteAll(service: String) throws {
        let query: [String: Any] = [
            kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: service,
        ]
        try check(SecItemDelete(query as CFDictionary))
    }

    func set(_ password: Data, service: String, account: String, group: String) throws {
        try set(password, query(service, account, with: [kSecAttrAccessGroup as String: group]))
    }

    func get(service: String, account: String, group: String) throws -> Data? {
        try get(query(service, account, with: [kSecAttrAccessGroup as String: group]))
    }

    private func set(_ password: Data, _ query: [String: Any]) throws {
        let new = [kSecValueData as String: password]
        var status = SecItemUpdate(query as CFDictionary, new as CFDictionary)
        if status == errSecItemNotFound { status = SecItemAdd(adding(password, query) as CFDictionary, nil) }
        // Another task was faster.
        if status == errSecDuplicateItem { status = SecItemUpdate(query as CFDictionary, new as CFDictionary) }
        try check(status)
    }

    private func get(_ query: [String: Any]) throws -> Data? {
        var result: CFTypeRef?
        let asking = query.merging([kSecReturnData as String: true]) { _, new in new }
        let status = SecItemCopyMatching(asking as CFDictionary, &result)
        if status == errSecItemNotFound { return nil }
        try check(status)
        return result as? Data
    }

    private func query(_ service: String, _ account: String, with more: [String: Any] = [:]) -> [String: Any] {
        [
            kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: service,
            kSecAttrAccount as String: account,
        ].merging(more) { _, new in new }
    }

    private func adding(_ password: Data, _ query: [String: Any]) -> [String: Any] {
        query.merging([kSecValueData as String: password]) { _, new in new }
    }

    private func check(_ status: OSStatus) throws {
        if status != errSecSuccess { throw Failure(status: status) }
    }
}
