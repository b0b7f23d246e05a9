// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore

/// Stores new keys with the item functions.
enum KeyStorage {
    /// Adds the permanent keys of a pair, the public key first, or nothing.
    ///
    /// - Throws: The error of the add that failed.
    static func add(_ privateKey: SecKey, as parameters: KeyPairParameters) throws(KeychainError) {
        var stored: CFTypeRef?
        if parameters.isPublicKeyPermanent {
            stored = try add(SecKey(privateKey.publicKey), parameters.publicAttributes)
        }
        guard parameters.isPrivateKeyPermanent else { return }
        do throws(KeychainError) {
            _ = try add(privateKey, parameters.privateAttributes)
        } catch {
            if let stored { remove(stored) }
            throw error
        }
    }

    /// Adds a key with attributes, which are passed on unchanged: the add rejects invalid ones.
    private static func add(
        _ key: SecKey,
        _ attributes: KeyPairParameters.Attributes
    ) throws(KeychainError) -> CFTypeRef? {
        // Nothing but the key itself is its data, and nothing but its reference comes back.
        var request = attributes.filter { name, _ in
            guard let name = name.base as? String, name.utf16.count != 4 else { return true }
            return !name.hasPrefix("r") && !name.hasPrefix("v")
        }
        request[PropertyKey.valueReference] = key
        request[PropertyKey.returnPersistentReference] = true
        var reference: CFTypeRef?
        let status = SecItemAdd(request as NSDictionary, &reference)
        guard status == errSecSuccess else {
            throw KeychainError(Status(rawValue: status), "the key could not be stored")
        }
        return reference
    }

    private static func remove(_ reference: CFTypeRef) {
        SecItemDelete(NSDictionary(object: reference, forKey: NSString(string: PropertyKey.valuePersistentReference)))
    }
}
