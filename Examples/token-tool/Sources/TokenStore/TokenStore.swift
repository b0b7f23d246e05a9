// SPDX-License-Identifier: Apache-2.0

import Foundation
import Security

/// Keeps API tokens in the keychain, one for each account of a service.
public struct TokenStore: Sendable {
    private let service: String

    /// The tokens of a service.
    ///
    /// - Parameter service: a name that belongs to this program, such as one in reverse domain form.
    public init(service: String) { self.service = service }

    /// Keeps a token, in place of the one before.
    ///
    /// - Throws: ``KeychainError``
    public func save(_ token: String, for account: String) throws {
        let attributes: [String: Any] = [
            kSecValueData as String: Data(token.utf8),
            kSecAttrAccessible as String: kSecAttrAccessibleAfterFirstUnlock,
        ]
        let identity = identity(of: account)
        var status = SecItemAdd(identity.merging(attributes) { $1 } as CFDictionary, nil)
        if status == errSecDuplicateItem {
            status = SecItemUpdate(identity as CFDictionary, attributes as CFDictionary)
        }
        try check(status)
    }

    /// Reads a token.
    ///
    /// - Returns: The token; `nil` only if there is none. That it cannot be read now is an error.
    /// - Throws: ``KeychainError``
    public func token(for account: String) throws -> String? {
        var query = identity(of: account)
        query[kSecMatchLimit as String] = kSecMatchLimitOne
        query[kSecReturnData as String] = true
        var result: CFTypeRef?
        let status = SecItemCopyMatching(query as CFDictionary, &result)
        if status == errSecItemNotFound { return nil }
        try check(status)
        guard let data = result as? Data, let token = String(data: data, encoding: .utf8) else {
            throw KeychainError(status: errSecDecode)
        }
        return token
    }

    /// Deletes a token.
    ///
    /// - Returns: Whether there was one.
    /// - Throws: ``KeychainError``
    @discardableResult
    public func remove(_ account: String) throws -> Bool {
        let status = SecItemDelete(identity(of: account) as CFDictionary)
        if status == errSecItemNotFound { return false }
        try check(status)
        return true
    }

    /// What tells one item from all others.
    private func identity(of account: String) -> [String: Any] {
        [
            kSecClass as String: kSecClassGenericPassword,
            kSecAttrService as String: service,
            kSecAttrAccount as String: account,
        ]
    }

    private func check(_ status: OSStatus) throws {
        guard status == errSecSuccess else { throw KeychainError(status: status) }
    }
}
