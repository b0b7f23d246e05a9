// SPDX-License-Identifier: Apache-2.0

import KeychainSimulation
import Security

/// Keychain calls as field code makes them, by an account alone.
extension App {
    /// Adds a password; its secret is "secret of" the account.
    @discardableResult
    func add(_ account: String, _ more: [CFString: Any] = [:]) -> OSStatus {
        run { SecItemAdd(Self.item(account, more) as CFDictionary, nil) }
    }

    /// Adds a password under an access control.
    func add(_ account: String, flags: SecAccessControlCreateFlags, level: CFString) -> OSStatus {
        guard let accessControl = SecAccessControlCreateWithFlags(nil, level, flags, nil) else { return errSecParam }
        return add(account, [kSecAttrAccessControl: accessControl])
    }

    /// Reads the password, and checks its secret.
    func read(_ account: String, _ more: [CFString: Any] = [:]) -> OSStatus {
        var query = Self.query(account)
        query[kSecReturnData] = true
        query.merge(more) { $1 }
        var result: CFTypeRef?
        let status = run { SecItemCopyMatching(query as CFDictionary, &result) }
        guard status == errSecSuccess else { return status }
        return result as? Data == Data("secret of \(account)".utf8) ? errSecSuccess : errSecDecode
    }

    func update(_ account: String) -> OSStatus {
        let changes: [CFString: Any] = [kSecAttrLabel: "another label"]
        return run { SecItemUpdate(Self.query(account) as CFDictionary, changes as CFDictionary) }
    }

    func delete(_ account: String) -> OSStatus {
        run { SecItemDelete(Self.query(account) as CFDictionary) }
    }

    /// What the item is damaged by.
    func persistentReference(_ account: String) -> Data? {
        var query = Self.query(account)
        query[kSecReturnPersistentRef] = true
        var result: CFTypeRef?
        guard run({ SecItemCopyMatching(query as CFDictionary, &result) }) == errSecSuccess else { return nil }
        return result as? Data
    }

    private static func query(_ account: String) -> [CFString: Any] {
        [kSecClass: kSecClassGenericPassword, kSecAttrAccount: account]
    }

    private static func item(_ account: String, _ more: [CFString: Any]) -> [CFString: Any] {
        var item = query(account)
        item[kSecValueData] = Data("secret of \(account)".utf8)
        return item.merging(more) { $1 }
    }
}
