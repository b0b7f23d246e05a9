// SPDX-License-Identifier: Apache-2.0

import Foundation
import Security
import Testing
import Webhooks

@Suite struct WebhookSecretTests {
    private let service = "com.example.secret-server.\(UUID())"

    /// Stores a secret as `security add-generic-password` does: in the group that all programs of the user share.
    private func store(_ secret: Data) throws {
        var item: [CFString: Any] = [
            kSecClass: kSecClassGenericPassword, kSecAttrService: service, kSecAttrAccount: "webhook",
            kSecValueData: secret,
        ]
        #if os(Linux)
        item[kSecAttrAccessGroup] = "swift-keychain.common"
        #endif
        try #require(SecItemAdd(item as CFDictionary, nil) == errSecSuccess)
    }

    private func removeAll() {
        let status = SecItemDelete([kSecClass: kSecClassGenericPassword, kSecAttrService: service] as CFDictionary)
        #expect(status == errSecSuccess || status == errSecItemNotFound)
    }

    @Test func whatAnOperatorStoredIsRead() throws {
        defer { removeAll() }
        try store(Data("s3cret".utf8))
        #expect(try WebhookSecret(service: service).read() == Data("s3cret".utf8))
    }

    @Test func anOperatorLearnsHowToStoreIt() throws {
        let error = try #require(throws: WebhookSecret.Unavailable.self) { try WebhookSecret(service: service).read() }
        #expect(error.description.contains("security add-generic-password -U -s \(service) -a webhook -w"))
    }

    @Test func anEmptySecretIsNone() throws {
        defer { removeAll() }
        try store(Data())
        #expect(throws: WebhookSecret.Unavailable.self) { try WebhookSecret(service: service).read() }
    }
}
