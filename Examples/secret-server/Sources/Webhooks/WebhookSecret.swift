// SPDX-License-Identifier: Apache-2.0

import Foundation
import Security

/// Where the secret lies that an operator shares with the sender of the webhooks.
public struct WebhookSecret: Sendable {
    private let service: String
    private let account = "webhook"

    /// The secret of a service.
    public init(service: String = "com.example.secret-server") { self.service = service }

    /// Reads the secret from the keychain.
    ///
    /// - Throws: ``Unavailable``
    public func read() throws -> Data {
        let query: [String: Any] = [
            kSecClass as String: kSecClassGenericPassword,
            kSecAttrService as String: service,
            kSecAttrAccount as String: account,
            kSecMatchLimit as String: kSecMatchLimitOne,
            kSecReturnData as String: true,
        ]
        var result: CFTypeRef?
        let status = SecItemCopyMatching(query as CFDictionary, &result)
        guard status == errSecSuccess else {
            throw status == errSecItemNotFound ? missing : Unavailable(description: message(status))
        }
        // Anyone can sign with an empty secret.
        guard let secret = result as? Data, !secret.isEmpty else { throw missing }
        return secret
    }

    /// Why there is no secret, for the operator to read.
    public struct Unavailable: Error, Equatable, CustomStringConvertible {
        /// The text.
        public let description: String
    }

    private var missing: Unavailable {
        Unavailable(
            description: """
                The keychain has no secret for webhooks. To store it, run this and type the secret twice:
                    security add-generic-password -U -s \(service) -a \(account) -w
                """
        )
    }

    private func message(_ status: OSStatus) -> String {
        let text = SecCopyErrorMessageString(status, nil) as String? ?? "Unknown error."
        return "The secret for webhooks cannot be read: \(text) (\(status))"
    }
}
