// SPDX-License-Identifier: Apache-2.0

import CryptoKit
import Foundation
import KeychainTesting
import LocalAuthentication
import Security
import Testing

/// The samples of the pages about keys, lock states, CryptoKit and the device.
@Suite("The samples of the other pages")
struct OtherPageSamples {
    @Test(.keychain) func keys() throws {
        let parameters: [CFString: Any] = [
            kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom,
            kSecAttrKeySizeInBits: 256,
            kSecPrivateKeyAttrs: [
                kSecAttrIsPermanent: true,
                kSecAttrApplicationTag: Data("com.example.device".utf8),
            ],
        ]
        var error: Unmanaged<CFError>?
        let key = SecKeyCreateRandomKey(parameters as CFDictionary, &error)

        let query: [CFString: Any] = [
            kSecClass: kSecClassKey,
            kSecAttrApplicationTag: Data("com.example.device".utf8),
            kSecReturnRef: true,
        ]
        var found: CFTypeRef?
        SecItemCopyMatching(query as CFDictionary, &found)
        #expect(key != nil && found is SecKey)
    }

    @Test(.keychain) func contextOfAQuery() async throws {
        let context = LAContext()
        try await context.evaluatePolicy(.deviceOwnerAuthentication, localizedReason: "to open the vault")
        let query: [CFString: Any] = [
            kSecClass: kSecClassGenericPassword,
            kSecAttrService: "com.example.vault",
            kSecReturnData: true,
            kSecUseAuthenticationContext: context,
        ]
        #expect(SecItemCopyMatching(query as CFDictionary, nil) == errSecItemNotFound)
    }

    @Test(.keychain) func context() async throws {
        let context = LAContext()
        context.localizedReason = "Open the vault"
        try await context.evaluatePolicy(.deviceOwnerAuthentication, localizedReason: "Open the vault")
        #expect(App.current?.device.owner.questions.count == 1)
    }

    @Test func device() throws {
        let attributes = [kSecClass: kSecClassGenericPassword] as CFDictionary
        let device = try VirtualDevice(passcode: "1234")
        let app = device.install()
        let status = app.run { SecItemAdd(attributes, nil) }
        try device.lock()
        #expect(device.calls.map(\.status) == [status])
    }

    @Test func deviceOfTheDeclaration() throws {
        let query = [kSecClass: kSecClassGenericPassword] as CFDictionary
        let device = try VirtualDevice()
        let app = device.install("com.example.app", team: "TEAMID1234")
        let status = app.run { SecItemAdd(query, nil) }
        try device.lock()
        #expect(device.calls.map(\.status) == [status])
    }
}
