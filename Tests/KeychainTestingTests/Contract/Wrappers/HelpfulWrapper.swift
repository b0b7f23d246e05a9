// SPDX-License-Identifier: Apache-2.0

import KeychainTesting
import Security

/// A wrapper as the field has it: strings, delete and then add, and every failure is nil.
struct HelpfulWrapper: AddingPasswordStoreContractSubject, ListingPasswordStoreContractSubject,
    GroupedPasswordStoreContractSubject
{
    func set(_ password: Data, service: String, account: String) {
        set(password, query(service, account))
    }

    func get(service: String, account: String) -> Data? { get(query(service, account)) }

    func delete(service: String, account: String) { SecItemDelete(query(service, account) as CFDictionary) }

    func add(_ password: Data, service: String, account: String) { set(password, service: service, account: account) }

    func accounts(service: String) throws -> [String] {
        var result: CFTypeRef?
        let query =
            [
                kSecClass: kSecClassGenericPassword, kSecReturnAttributes: true, kSecMatchLimit: kSecMatchLimitAll,
            ] as [CFString: Any]
        SecItemCopyMatching(query as CFDictionary, &result)
        return (result as? [[String: Any]] ?? []).compactMap { $0[kSecAttrAccount as String] as? String }
    }

    func set(_ password: Data, service: String, account: String, group: String) {
        set(password, query(service, account, with: [kSecAttrAccessGroup as String: group]))
    }

    func get(service: String, account: String, group: String) -> Data? {
        get(query(service, account, with: [kSecAttrAccessGroup as String: group]))
    }

    private func set(_ password: Data, _ query: [String: Any]) {
        SecItemDelete(query as CFDictionary)
        var item = query
        item[kSecValueData as String] = String(decoding: password, as: UTF8.self).data(using: .utf8)
        SecItemAdd(item as CFDictionary, nil)
    }

    private func get(_ query: [String: Any]) -> Data? {
        var result: CFTypeRef?
        let asking = query.merging([kSecReturnData as String: true]) { _, new in new }
        guard SecItemCopyMatching(asking as CFDictionary, &result) == errSecSuccess, let data = result as? Data,
            !data.isEmpty
        else { return nil }
        return data
    }

    private func query(_ service: String, _ account: String, with more: [String: Any] = [:]) -> [String: Any] {
        [
            kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: service,
            kSecAttrAccount as String: account.lowercased(),
        ].merging(more) { _, new in new }
    }
}
