// SPDX-License-Identifier: Apache-2.0

import Crypto
import Foundation
import Keychain
import KeychainTesting
import Security
import Testing

@Suite("A set of a key that names another one", .keychain(entitlements: .grouped))
struct KeyReplacementTests {
    private let plain = Protection.accessible(.whenUnlocked)

    private func refuses(_ keychain: any KeychainProtocol, contents: ItemContents, for item: some KeychainItem) {
        let error = failure { () throws(KeychainItemError) in
            try keychain.set(contents, for: item, protection: plain, details: .none, authentication: .allowed)
        }
        #expect(error?.kind == .invalidRequest, "\(item)")
        #expect(error?.operation == .set)
    }

    @Test("A key is not set for the item of another key", arguments: Way.allCases)
    func otherKey(way: Way) throws {
        let keychain = try way.subject().keychain
        let old = P256.Signing.PrivateKey()
        let (first, second) = (try #require(old.secKey), try #require(P256.Signing.PrivateKey().secKey))
        let item = KeyItem(first, tag: "t")
        refuses(keychain, contents: .key(second), for: item)
        #expect(try !keychain.contains(item))
        try keychain.add(.key(first), for: item, protection: plain, details: .none, authentication: .allowed)
        refuses(keychain, contents: .key(second), for: item)
        #expect(
            try keychain.privateKey(P256.Signing.PrivateKey.self, for: item)?.rawRepresentation == old.rawRepresentation
        )
    }

    @Test("A key is not set under a label that does not tell keys apart", arguments: Way.allCases)
    func ownLabel(way: Way) throws {
        let keychain = try way.subject().keychain
        let key = try #require(P256.Signing.PrivateKey().secKey)
        let item = KeyItem(
            tag: "t",
            applicationLabel: Data("label".utf8),
            keyClass: kSecAttrKeyClassPrivate,
            keyType: kSecAttrKeyTypeECSECPrimeRandom,
            sizeInBits: 256
        )
        try keychain.add(.key(key), for: item, protection: plain, details: .none, authentication: .allowed)
        refuses(keychain, contents: .key(key), for: item)
        #expect(try keychain.secKey(for: item) == key)
    }

    @Test("A key is not set for a password", arguments: Way.allCases)
    func password(way: Way) throws {
        let keychain = try way.subject().keychain
        let item = GenericPassword(service: "s")
        try keychain.set("secret", for: item, protection: plain)
        refuses(keychain, contents: .key(try #require(P256.Signing.PrivateKey().secKey)), for: item)
        #expect(try keychain.string(for: item) == "secret")
    }

    @Test("What names a key by hand is the item of the key", arguments: Way.allCases)
    func byHand(way: Way) throws {
        let keychain = try way.subject().keychain
        let key = try #require(P256.Signing.PrivateKey().secKey)
        let named = KeyItem(key, tag: "t")
        let item = KeyItem(
            tag: "t",
            applicationLabel: named.applicationLabel,
            keyClass: kSecAttrKeyClassPrivate,
            keyType: kSecAttrKeyTypeECSECPrimeRandom,
            sizeInBits: 256
        )
        for _ in 0..<2 {
            try keychain.set(.key(key), for: item, protection: plain, details: .none, authentication: .allowed)
        }
        let found = try #require(try keychain.items(matching: .all(withTag: "t")).first)
        try keychain.set(.key(key), for: found.item, protection: plain, details: .none, authentication: .allowed)
        #expect(try keychain.secKey(for: item) == key)
    }
}
