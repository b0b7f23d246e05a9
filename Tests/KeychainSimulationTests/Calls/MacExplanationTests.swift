// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainSimulation
import Security
import Testing

/// Explanations of failed calls on a virtual Mac know the items of its keychain files.
struct MacExplanationTests {
    private let device: VirtualDevice
    private let app: App

    init() throws {
        device = try VirtualDevice(.mac)
        app = device.install("com.example.app", team: "TEAMID1234")
        let item = Self.item("anna", [kSecValueData: Data("a-distinctive-secret".utf8)])
        #expect(app.run { SecItemAdd(item as CFDictionary, nil) } == errSecSuccess)
    }

    private static func item(_ account: String, _ more: [CFString: Any] = [:]) -> [CFString: Any] {
        let item: [CFString: Any] = [
            kSecClass: kSecClassGenericPassword, kSecAttrService: "com.example.auth", kSecAttrAccount: account,
        ]
        return item.merging(more) { $1 }
    }

    private func lastExplanation() throws -> String {
        let call = try #require(device.calls.last)
        return try #require(device.calls.explanation(of: call))
    }

    /// What is said of a query that fails.
    private func explanation(_ query: [CFString: Any], _ expected: OSStatus) throws -> String {
        #expect(app.run { SecItemCopyMatching(query as CFDictionary, nil) } == expected)
        let text = try lastExplanation()
        #expect(!text.contains("a-distinctive-secret"))
        return text
    }

    @Test("by the item of the file that a query with the flag passes by")
    func otherKeychain() throws {
        let text = try explanation(Self.item("anna", [kSecUseDataProtectionKeychain: true]), errSecItemNotFound)
        #expect(text.contains("in the other keychain of the Mac: file") && text.contains("anna"), "\(text)")
    }

    @Test("by the item of the file that differs from the query, with and without the flag that declines the other")
    func nearMiss() throws {
        for more in [[:], [kSecUseDataProtectionKeychain: false]] as [[CFString: Any]] {
            let text = try explanation(Self.item("Anna", more), errSecItemNotFound)
            #expect(text.contains("anna") && text.contains("kSecAttrAccount"), "\(text)")
        }
    }

    @Test("by the keychain file that is locked")
    func locked() throws {
        app.run {
            #expect(SecKeychainLock(nil) == errSecSuccess)
            #expect(SecKeychainSetUserInteractionAllowed(false) == errSecSuccess)
        }
        let text = try explanation(Self.item("anna", [kSecReturnData: true]), errSecInteractionNotAllowed)
        #expect(text.contains("file-based keychain is locked"), "\(text)")
    }

    @Test("by the keychain file that is missing")
    func missing() throws {
        app.run {
            var keychain: SecKeychain?
            #expect(SecKeychainCopyDefault(&keychain) == errSecSuccess)
            #expect(SecKeychainDelete(keychain) == errSecSuccess)
            #expect(SecItemAdd(Self.item("anna") as CFDictionary, nil) == errSecNoDefaultKeychain)
        }
        let text = try lastExplanation()
        #expect(text.contains("There is no default keychain to store in"), "\(text)")
    }
}
