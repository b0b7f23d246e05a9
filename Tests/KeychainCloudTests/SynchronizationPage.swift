// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCloud
import KeychainTesting
import Security
import Testing

/// A store of one synchronizable token.
private struct TokenStore {
    struct Failure: Error { let status: OSStatus }

    private var query: [CFString: Any] {
        [
            kSecClass: kSecClassGenericPassword, kSecAttrService: "com.example", kSecAttrAccount: "token",
            kSecAttrSynchronizable: true,
        ]
    }

    func save(_ token: String) throws {
        let value = [kSecValueData: Data(token.utf8)]
        var status = SecItemUpdate(query as CFDictionary, value as CFDictionary)
        if status == errSecItemNotFound {
            status = SecItemAdd(query.merging(value) { $1 } as CFDictionary, nil)
        }
        if status != errSecSuccess { throw Failure(status: status) }
    }

    func token() throws -> String? {
        var result: CFTypeRef?
        let status = SecItemCopyMatching(query.merging([kSecReturnData: true]) { $1 } as CFDictionary, &result)
        if status == errSecItemNotFound { return nil }
        guard status == errSecSuccess, let data = result as? Data else { throw Failure(status: status) }
        return String(decoding: data, as: UTF8.self)
    }
}

@Test func theTokenOfTheOtherPhoneIsUsed() async throws {
    let cloud = VirtualCloud()
    let phone = try VirtualDevice(.iOS)
    let tablet = try VirtualDevice(.iOS)
    let onPhone = phone.install("com.example.app", team: "TEAMID1234")
    let onTablet = tablet.install("com.example.app", team: "TEAMID1234")
    try await phone.signIn(to: cloud)
    try await tablet.signIn(to: cloud)

    try onPhone.run { try TokenStore().save("t0ken") }
    #expect(try onTablet.run { try TokenStore().token() } == nil)  // it has not arrived
    try await cloud.settle()
    #expect(try onTablet.run { try TokenStore().token() } == "t0ken")

    try tablet.lock()  // arrival while locked
    try onPhone.run { try TokenStore().save("n3w") }
    try await cloud.settle()
    try tablet.unlock()
    #expect(try onTablet.run { try TokenStore().token() } == "t0ken")  // still the old one
    try await cloud.settle()
    #expect(try onTablet.run { try TokenStore().token() } == "n3w")
}
