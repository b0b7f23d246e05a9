// SPDX-License-Identifier: Apache-2.0

import Foundation
import Security

/// Keeps an API token per account: ordinary keychain code, as written for Apple's platforms.
struct TokenStore {
    let service: String

    func add(_ token: String, account: String) -> OSStatus {
        var attributes = query(account)
        attributes[kSecValueData as String] = Data(token.utf8)
        return SecItemAdd(attributes as CFDictionary, nil)
    }

    func read(account: String) -> (status: OSStatus, token: String?) {
        var query = query(account)
        query[kSecReturnData as String] = true
        var result: CFTypeRef?
        let status = SecItemCopyMatching(query as CFDictionary, &result)
        return (status, (result as? Data).map { String(decoding: $0, as: UTF8.self) })
    }

    func update(_ token: String, account: String) -> OSStatus {
        SecItemUpdate(query(account) as CFDictionary, [kSecValueData as String: Data(token.utf8)] as CFDictionary)
    }

    func list() -> (status: OSStatus, items: [[String: Any]]) {
        let query: [String: Any] = [
            kSecClass as String: kSecClassGenericPassword,
            kSecAttrService as String: service,
            kSecReturnAttributes as String: true,
            kSecMatchLimit as String: kSecMatchLimitAll,
        ]
        var result: CFTypeRef?
        let status = SecItemCopyMatching(query as CFDictionary, &result)
        return (status, result as? [[String: Any]] ?? [])
    }

    func delete(account: String) -> OSStatus {
        SecItemDelete(query(account) as CFDictionary)
    }

    private func query(_ account: String) -> [String: Any] {
        [
            kSecClass as String: kSecClassGenericPassword,
            kSecAttrService as String: service,
            kSecAttrAccount as String: account,
        ]
    }
}
