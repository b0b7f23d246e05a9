// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore

/// Stores new keys with the item functions.
enum KeyStorage {
    /// Adds both keys of a pair or none.
    ///
    /// - Parameter keys: the keys, each with the attributes to add it with.
    /// - Throws: what the add that failed says.
    static func add(_ keys: [(key: SecKey, attributes: [String: Any])]) throws(KeychainError) {
        var stored: [CFTypeRef] = []
        for (key, attributes) in keys {
            let request = NSMutableDictionary()
            // Nothing but the key itself is its data.
            for (name, value) in attributes where !name.hasPrefix("r_") && !name.hasPrefix("v_") {
                request.setObject(value, forKey: NSString(string: name))
            }
            request.setObject(key, forKey: NSString(string: PropertyKey.valueReference))
            request.setObject(NSNumber(value: true), forKey: NSString(string: PropertyKey.returnPersistentReference))
            var reference: CFTypeRef?
            let status = SecItemAdd(request, &reference)
            guard status == errSecSuccess else {
                remove(stored)
                throw KeychainError(Status(rawValue: status), "the key could not be stored")
            }
            if let reference { stored.append(reference) }
        }
    }

    private static func remove(_ references: [CFTypeRef]) {
        for reference in references {
            SecItemDelete(
                NSDictionary(object: reference, forKey: NSString(string: PropertyKey.valuePersistentReference))
            )
        }
    }
}
