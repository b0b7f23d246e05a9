// SPDX-License-Identifier: Apache-2.0

import Foundation
import Security
import Testing

@testable import TokenStore

@Suite struct TokenStoreTests {
    // Each test is an instance of its own, so that all can run at once in one keychain.
    private let service = "com.example.token-tool.\(UUID())"
    private var store: TokenStore { TokenStore(service: service) }

    @Test func thereIsNoTokenAtFirst() throws {
        #expect(try store.token(for: "ada") == nil)
        #expect(try !store.remove("ada"))
    }

    @Test func aTokenIsKeptUntilItIsRemoved() throws {
        try store.save("t0ken", for: "ada")
        #expect(try store.token(for: "ada") == "t0ken")
        #expect(try store.remove("ada"))
        #expect(try store.token(for: "ada") == nil)
    }

    @Test func aNewTokenTakesThePlaceOfTheOldOne() throws {
        try store.save("old", for: "ada")
        try store.save("new", for: "ada")
        #expect(try store.token(for: "ada") == "new")
        try store.remove("ada")
        #expect(try store.token(for: "ada") == nil)
    }

    @Test func accountsAndServicesKeepApart() throws {
        let other = TokenStore(service: service + ".other")
        try store.save("one", for: "ada")
        try store.save("two", for: "bob")
        try other.save("three", for: "ada")
        #expect(try store.token(for: "ada") == "one")
        #expect(try store.token(for: "bob") == "two")
        for account in ["ada", "bob"] { try store.remove(account) }
        #expect(try other.token(for: "ada") == "three")
        try other.remove("ada")
    }

    @Test func anyTextComesBackAsItWas() throws {
        let token = "ünïcode 🔑\nsecond line"
        try store.save(token, for: "ada")
        #expect(try store.token(for: "ada") == token)
        try store.remove("ada")
    }

    @Test func whatIsNotTextIsAnErrorAndNotAbsence() throws {
        let item: [CFString: Any] = [
            kSecClass: kSecClassGenericPassword, kSecAttrService: service, kSecAttrAccount: "ada",
        ]
        let status = SecItemAdd(item.merging([kSecValueData: Data([0xFF])]) { $1 } as CFDictionary, nil)
        try #require(status == errSecSuccess)
        #expect(throws: KeychainError(status: errSecDecode)) { try store.token(for: "ada") }
        try store.remove("ada")
    }

    @Test func anErrorSaysWhatTheKeychainSays() {
        let error = KeychainError(status: errSecItemNotFound)
        #expect(error.localizedDescription.contains("The specified item could not be found in the keychain."))
        #expect(error.localizedDescription.contains("-25300"))
    }
}
