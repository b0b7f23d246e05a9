// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import KeychainTestSupport
import Security
import Testing

/// Keys that are stored when they are made (Semantics, "Creating keys").
struct PermanentKeyTests {
    private let backend: TemporaryKeychain

    init() throws { backend = try TemporaryKeychain() }

    private func run<Result>(_ body: () throws -> Result) rethrows -> Result {
        let client = Client(accessGroups: WitnessedKeychain.groups)
        return try KeychainContext.$current.withValue(
            KeychainContext(backend: backend, client: client),
            operation: body
        )
    }

    private func make(_ parameters: [CFString: Any]) -> (result: SecKey?, status: OSStatus) {
        let all = [kSecAttrKeyType: kSecAttrKeyTypeEC, kSecAttrKeySizeInBits: 256].merging(parameters) { $1 }
        return run { KeyCalls.make(all) }
    }

    /// The classes of the keys that are stored.
    private func stored(_ query: [CFString: Any] = [:]) -> [SecKey] {
        let all: [CFString: Any] = [kSecClass: kSecClassKey, kSecMatchLimit: kSecMatchLimitAll, kSecReturnRef: true]
        return run { Items.copy(all.merging(query) { $1 }).result as? [SecKey] ?? [] }
    }

    @Test("nothing is stored unless that is asked for")
    func transient() {
        #expect(make([kSecAttrLabel: "x"]).result != nil)
        #expect(make([kSecPrivateKeyAttrs: [kSecAttrIsPermanent: false], kSecAttrIsPermanent: false]).result != nil)
        #expect(stored().isEmpty)
    }

    @Test("permanent at the top stores both halves")
    func both() throws {
        let key = try #require(make([kSecAttrIsPermanent: true, kSecAttrLabel: "pair"]).result)
        let found = stored([kSecAttrLabel: "pair"])
        #expect(Set(found) == [key, try #require(SecKeyCopyPublicKey(key))])
    }

    @Test("each half has attributes of its own, which win over the top")
    func halves() throws {
        let attributes: [CFString: Any] = [
            kSecPrivateKeyAttrs: [kSecAttrIsPermanent: true, kSecAttrLabel: "own"] as [CFString: Any],
            kSecPublicKeyAttrs: [kSecAttrLabel: "public"] as [CFString: Any],
            kSecAttrLabel: "top", kSecAttrApplicationTag: Data("tag".utf8),
        ]
        let key = try #require(make(attributes).result)
        #expect(stored([kSecAttrLabel: "own", kSecAttrApplicationTag: Data("tag".utf8)]) == [key])
        #expect(stored() == [key])
    }

    @Test("a token's name that is no string makes no key")
    func tokenType() {
        #expect(make([kSecAttrTokenID: Data("com.apple.setoken".utf8)]).status == errSecParam)
        #expect(stored().isEmpty)
    }

    @Test("a token that is named for the public half alone has no part in it")
    func tokenOfPublicHalf() throws {
        let half: [CFString: Any] = [kSecAttrIsPermanent: true, kSecAttrTokenID: kSecAttrTokenIDSecureEnclave]
        let key = try #require(make([kSecPublicKeyAttrs: half]).result)
        #expect(stored() == [try #require(SecKeyCopyPublicKey(key))])
    }

    @Test("nothing but the key is stored as its data")
    func otherData() throws {
        let key = try #require(make([kSecAttrIsPermanent: true, kSecValueData: Data([9])]).result)
        #expect(Set(stored()) == [key, try #require(SecKeyCopyPublicKey(key))])
    }

    @Test("what the add says is what the function says, and nothing stays")
    func failures() {
        let foreign = make([kSecAttrIsPermanent: true, kSecAttrAccessGroup: "nonexistent"])
        #expect(foreign.result == nil && foreign.status == errSecMissingEntitlement)
        let half = make([
            kSecPrivateKeyAttrs: [kSecAttrIsPermanent: true] as [CFString: Any],
            kSecPublicKeyAttrs: [kSecAttrIsPermanent: true, kSecAttrAccessGroup: "nonexistent"] as [CFString: Any],
        ])
        #expect(half.result == nil && half.status == errSecMissingEntitlement)
        #expect(stored().isEmpty)
    }
}
