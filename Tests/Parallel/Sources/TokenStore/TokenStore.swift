// SPDX-License-Identifier: Apache-2.0

import Foundation
import Security

/// A token in the keychain, as an app keeps it: nothing here knows of tests.
public enum TokenStore {
    private static func query(_ account: String) -> [CFString: Any] {
        [kSecClass: kSecClassGenericPassword, kSecAttrService: "token", kSecAttrAccount: account]
    }

    /// Stores a token that is not there yet.
    public static func add(_ token: String, for account: String) -> OSStatus {
        var query = query(account)
        query[kSecValueData] = Data(token.utf8)
        return SecItemAdd(query as CFDictionary, nil)
    }

    /// The token; `nil` without one.
    public static func token(for account: String) -> String? {
        var query = query(account)
        query[kSecReturnData] = true
        var result: CFTypeRef?
        guard SecItemCopyMatching(query as CFDictionary, &result) == errSecSuccess else { return nil }
        return (result as? Data).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Replaces the token.
    public static func update(_ token: String, for account: String) -> OSStatus {
        SecItemUpdate(query(account) as CFDictionary, [kSecValueData: Data(token.utf8)] as CFDictionary)
    }

    /// Removes the token.
    public static func delete(for account: String) -> OSStatus { SecItemDelete(query(account) as CFDictionary) }
}
