// SPDX-License-Identifier: Apache-2.0

import Foundation
import Security

/// Moves items that older versions of an app have left behind.
struct KeychainMigration {
    let service: String

    /// Moves all items to another access group: to share them with an extension, for instance.
    func move(from oldGroup: String? = nil, toAccessGroup group: String) -> OSStatus {
        var query = allItems
        if let oldGroup = oldGroup { query[kSecAttrAccessGroup as String] = oldGroup }
        return SecItemUpdate(query as CFDictionary, [kSecAttrAccessGroup as String: group] as CFDictionary)
    }

    /// Lets a background task read what was readable only on an unlocked device.
    func makeAvailableInBackground() -> OSStatus {
        var query = allItems
        query[kSecAttrAccessible as String] = kSecAttrAccessibleWhenUnlocked
        let changes = [kSecAttrAccessible: kSecAttrAccessibleAfterFirstUnlock] as CFDictionary
        return SecItemUpdate(query as CFDictionary, changes)
    }

    /// Puts items under an access control.
    func protect(with control: SecAccessControl) -> OSStatus {
        SecItemUpdate(allItems as CFDictionary, [kSecAttrAccessControl as String: control] as CFDictionary)
    }

    /// Moves local items to the user's other devices.
    func makeSynchronizable() -> OSStatus {
        var query = allItems
        query[kSecAttrSynchronizable as String] = false
        return SecItemUpdate(query as CFDictionary, [kSecAttrSynchronizable as String: true] as CFDictionary)
    }

    /// Renames the service, as a change of the bundle identifier asks for.
    func rename(to newService: String) -> OSStatus {
        SecItemUpdate(allItems as CFDictionary, [kSecAttrService as String: newService] as CFDictionary)
    }

    /// Moves values that once stood in the settings, and forgets them there.
    func importSettings(_ settings: inout [String: String], keys: [String]) -> Int {
        var count = 0
        for key in keys {
            guard let value = settings[key] else { continue }
            let item: [String: Any] = [
                kSecClass as String: kSecClassGenericPassword,
                kSecAttrService as String: service,
                kSecAttrAccount as String: key,
                kSecAttrAccessible as String: kSecAttrAccessibleAfterFirstUnlock,
                kSecValueData as String: Data(value.utf8),
            ]
            let status = SecItemAdd(item as CFDictionary, nil)
            guard status == errSecSuccess || status == errSecDuplicateItem else { continue }
            settings[key] = nil
            count += 1
        }
        return count
    }

    /// Attributes and reference of each item, by account.
    func attributes() -> [String: [String: Any]] {
        var query = allItems
        query[kSecMatchLimit as String] = kSecMatchLimitAll
        query[kSecReturnAttributes as String] = true
        query[kSecReturnPersistentRef as String] = true
        query[kSecAttrSynchronizable as String] = kSecAttrSynchronizableAny
        var result: CFTypeRef?
        guard SecItemCopyMatching(query as CFDictionary, &result) == errSecSuccess,
            let items = result as? [[String: Any]]
        else { return [:] }
        return Dictionary(
            items.map { ($0[kSecAttrAccount as String] as? String ?? "", $0) },
            uniquingKeysWith: { first, _ in first }
        )
    }

    /// The group that new items go to: what an item has got that was added without one.
    static func defaultAccessGroup(probe: String) -> String? {
        let query: [String: Any] = [
            kSecClass as String: kSecClassGenericPassword,
            kSecAttrAccount as String: "group probe",
            kSecAttrService as String: probe,
        ]
        var result: CFTypeRef?
        var status = SecItemCopyMatching(
            query.merging([kSecReturnAttributes as String: true]) { $1 } as CFDictionary,
            &result
        )
        if status == errSecItemNotFound {
            status = SecItemAdd(
                query.merging([kSecReturnAttributes as String: true]) { $1 } as CFDictionary,
                &result
            )
        }
        defer { SecItemDelete(query as CFDictionary) }
        guard status == errSecSuccess else { return nil }
        return (result as? [String: Any])?[kSecAttrAccessGroup as String] as? String
    }

    private var allItems: [String: Any] {
        [kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: service]
    }
}
