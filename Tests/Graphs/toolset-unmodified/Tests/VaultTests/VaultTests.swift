// SPDX-License-Identifier: Apache-2.0

import Companions
import Crypto
import Foundation
import Logging
import Testing
import Vault

@Suite struct VaultTests {
    private let service = "com.example.graphs.\(UUID())"

    @Test func secretsComeAndGo() throws {
        let vault = Vault(service: service)
        #expect(try vault.secret(for: "ada") == nil)
        try vault.set("one", for: "ada")
        try vault.set("two", for: "ada")
        #expect(try vault.secret(for: "ada") == "two")
        try vault.remove("ada")
        #expect(try vault.secret(for: "ada") == nil)
        let error = try #require(throws: NSError.self) { try vault.remove("ada") }
        #expect(error.code == Int(errSecItemNotFound))
    }

    @Test func ownCopiesOfSwiftLogAndSwiftCryptoWorkBesideTheKeychain() throws {
        let handler = RecordingHandler()
        let logger = Logger(label: service) { _ in handler }
        let digests = DigestedVault(service: service, logger: logger)
        try digests.set("s3cret", for: "ada")
        #expect(try digests.matches("s3cret", for: "ada"))
        #expect(try !digests.matches("other", for: "ada"))
        try digests.remove("ada")
        #expect(handler.messages == ["kept ada"])
        #expect(logger.handler as? RecordingHandler === handler)
        #expect((handler as Any) is any LogHandler)
    }

    @Test func symbolsOfTheSameNameKeepApart() throws {
        let key = P256.Signing.PrivateKey()
        try Vault(service: service).set(key.pemRepresentation, for: "key")
        let pem = try #require(try Vault(service: service).secret(for: "key"))
        let signature = try P256.Signing.PrivateKey(pemRepresentation: pem).signature(for: Data("hello".utf8))
        #expect(key.publicKey.isValidSignature(signature, for: Data("hello".utf8)))
        try Vault(service: service).remove("key")
    }
}
