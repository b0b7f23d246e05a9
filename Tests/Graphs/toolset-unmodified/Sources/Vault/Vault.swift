// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Secrets by name.
public struct Vault: Sendable {
    private let service: String

    /// The secrets of a service.
    public init(service: String) { self.service = service }

    /// Adds a secret, or replaces it.
    public func set(_ secret: String, for name: String) throws {
        let value = [kSecValueData: Data(secret.utf8)]
        var status = SecItemUpdate(query(name) as CFDictionary, value as CFDictionary)
        if status == errSecItemNotFound {
            status = SecItemAdd(query(name).merging(value) { $1 } as CFDictionary, nil)
        }
        try check(status)
    }

    /// The secret of a name, if there is one.
    public func secret(for name: String) throws -> String? {
        var result: CFTypeRef?
        let status = SecItemCopyMatching(query(name).merging([kSecReturnData: true]) { $1 } as CFDictionary, &result)
        if status == errSecItemNotFound { return nil }
        try check(status)
        return (result as? Data).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Removes a secret.
    public func remove(_ name: String) throws { try check(SecItemDelete(query(name) as CFDictionary)) }

    private func query(_ name: String) -> [CFString: Any] {
        [kSecClass: kSecClassGenericPassword, kSecAttrService: service, kSecAttrAccount: name]
    }

    private func check(_ status: OSStatus) throws {
        guard status == errSecSuccess else { throw NSError(domain: NSOSStatusErrorDomain, code: Int(status)) }
    }
}
