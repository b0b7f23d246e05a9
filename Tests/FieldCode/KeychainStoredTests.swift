// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainTesting
import Security
import Testing

@Suite("A property wrapper", .fieldApp)
struct KeychainStoredTests {
    @Test("a property is nil until set, keeps its last value, and is removed by nil")
    func lifeOfAProperty() throws {
        try withScratchService("stored.life") { service in
            let session = StoredSession(service: service)
            #expect(session.token == nil)
            #expect(!session.$token.exists)
            session.token = "first"
            session.token = "second"
            #expect(session.token == "second")
            #expect(session.$token.exists)
            #expect(session.refreshToken == nil)
            session.refreshToken = "refresh"
            session.signOut()
            #expect(session.token == nil)
            #expect(session.refreshToken == nil)
            #expect(!session.$token.exists)
        }
    }

    @Test("two values of the same property share one item")
    func sharedItem() throws {
        try withScratchService("stored.shared") { service in
            StoredSession(service: service).token = "one"
            #expect(StoredSession(service: service).token == "one")
            let count = KeychainDump.items(ofClass: kSecClassGenericPassword).filter {
                $0[kSecAttrService as String] as? String == service
            }.count
            #expect(count == 1)
        }
    }

    @Test("each property has its own accessibility")
    func accessibility() throws {
        try withScratchService("stored.accessible") { service in
            let session = StoredSession(service: service)
            session.token = "t"
            session.refreshToken = "r"
            func level(_ account: String) -> String? {
                var item: CFTypeRef?
                SecItemCopyMatching(
                    [
                        kSecClass: kSecClassGenericPassword, kSecAttrService: service, kSecAttrAccount: account,
                        kSecReturnAttributes: true,
                    ] as CFDictionary,
                    &item
                )
                return (item as? [CFString: Any])?[kSecAttrAccessible] as? String
            }
            #expect(level("token") == kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly as String)
            #expect(level("refresh-token") == kSecAttrAccessibleWhenUnlockedThisDeviceOnly as String)
        }
    }
}
