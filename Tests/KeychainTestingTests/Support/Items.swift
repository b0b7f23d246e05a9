// SPDX-License-Identifier: Apache-2.0

import Security

/// The four calls on one password, as programs write them.
enum Items {
    static func query(_ account: String = "account", _ more: [CFString: Any] = [:]) -> CFDictionary {
        let base: [CFString: Any] = [
            kSecClass: kSecClassGenericPassword, kSecAttrService: "service", kSecAttrAccount: account,
        ]
        return base.merging(more) { $1 } as CFDictionary
    }

    static func add(
        _ secret: String = "secret",
        account: String = "account",
        more: [CFString: Any] = [:]
    ) -> OSStatus {
        SecItemAdd(query(account, more.merging([kSecValueData: Data(secret.utf8)]) { $1 }), nil)
    }

    static func read(_ account: String = "account") -> (status: OSStatus, secret: String?) {
        var result: CFTypeRef?
        let status = SecItemCopyMatching(query(account, [kSecReturnData: true]), &result)
        return (status, (result as? Data).map { String(decoding: $0, as: UTF8.self) })
    }

    static func update(_ secret: String, account: String = "account") -> OSStatus {
        SecItemUpdate(query(account), [kSecValueData: Data(secret.utf8)] as CFDictionary)
    }

    static func delete(_ account: String = "account") -> OSStatus { SecItemDelete(query(account)) }
}
