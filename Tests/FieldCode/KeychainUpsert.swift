// SPDX-License-Identifier: Apache-2.0

import Security

/// Two ways to write a value that may exist already.
enum KeychainUpsert {
    /// Updates, and adds what was not there: the order that keeps an item's other attributes.
    static func updateThenAdd(_ value: Data, query: [String: Any], accessible: CFString? = nil) -> OSStatus {
        let status = SecItemUpdate(query as CFDictionary, [kSecValueData as String: value] as CFDictionary)
        guard status == errSecItemNotFound else { return status }
        var attributes = query
        attributes[kSecValueData as String] = value
        attributes[kSecAttrAccessible as String] = accessible
        return SecItemAdd(attributes as CFDictionary, nil)
    }

    /// Adds, and updates what was there: the order that makes the common first write one call.
    static func addThenUpdate(_ value: Data, query: [String: Any], accessible: CFString? = nil) -> OSStatus {
        var attributes = query
        attributes[kSecValueData as String] = value
        if let accessible = accessible { attributes[kSecAttrAccessible as String] = accessible }
        let status = SecItemAdd(attributes as CFDictionary, nil)
        guard status == errSecDuplicateItem else { return status }

        // Only what changed may stand in the second dictionary: a class or a return flag there is an error.
        for key in query.keys { attributes[key] = nil }
        return SecItemUpdate(query as CFDictionary, attributes as CFDictionary)
    }

    /// Deletes, and adds: gives a new item, with a new persistent reference and creation date.
    static func replace(_ value: Data, query: [String: Any]) -> OSStatus {
        SecItemDelete(query as CFDictionary)
        var attributes = query
        attributes[kSecValueData as String] = value
        return SecItemAdd(attributes as CFDictionary, nil)
    }
}
