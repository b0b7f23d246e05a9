// SPDX-License-Identifier: Apache-2.0

import CryptoKit
import Foundation
import KeychainSimulation
import Security
import Testing

/// CryptoKit's keys in the keychain, as the article "Storing CryptoKit keys" shows it.
struct KeyStorageTests {
    private let message = Data("message".utf8)

    @Test("keys come back from generic passwords", arguments: VirtualDevice.Storage.allCases)
    func passwords(_ storage: VirtualDevice.Storage) throws {
        try VirtualDevice(storage: storage).install().run {
            let signing = Curve25519.Signing.PrivateKey()
            try KeyStore.store(signing, account: "signing")
            let readSigning = try #require(try KeyStore.read(Curve25519.Signing.PrivateKey.self, account: "signing"))
            #expect(signing.publicKey.isValidSignature(try readSigning.signature(for: message), for: message))
            let agreement = Curve25519.KeyAgreement.PrivateKey()
            try KeyStore.store(agreement, account: "agreement")
            let read = try KeyStore.read(Curve25519.KeyAgreement.PrivateKey.self, account: "agreement")
            #expect(read?.rawRepresentation == agreement.rawRepresentation)
            let symmetric = SymmetricKey(size: .bits256)
            try KeyStore.store(symmetric, account: "symmetric")
            #expect(try KeyStore.read(SymmetricKey.self, account: "symmetric") == symmetric)
            let curve = P256.Signing.PrivateKey()
            try KeyStore.store(curve, account: "P-256")
            let readCurve = try KeyStore.read(P256.Signing.PrivateKey.self, account: "P-256")
            #expect(readCurve?.rawRepresentation == curve.rawRepresentation)
            #expect(try KeyStore.read(SymmetricKey.self, account: "nothing") == nil)
            #expect(throws: KeychainFailure.self) { try KeyStore.store(symmetric, account: "symmetric") }
        }
    }

    @Test("keys of the NIST curves come back from keys", arguments: VirtualDevice.Storage.allCases)
    func keys(_ storage: VirtualDevice.Storage) throws {
        try VirtualDevice(storage: storage).install().run {
            let small = P256.Signing.PrivateKey()
            try KeyPairStore.store(small, tag: "P-256")
            let readSmall = try #require(try KeyPairStore.read(P256.Signing.PrivateKey.self, tag: "P-256"))
            #expect(small.publicKey.isValidSignature(try readSmall.signature(for: message), for: message))
            let middle = P384.KeyAgreement.PrivateKey()
            try KeyPairStore.store(middle, tag: "P-384")
            let readMiddle = try KeyPairStore.read(P384.KeyAgreement.PrivateKey.self, tag: "P-384")
            #expect(readMiddle?.rawRepresentation == middle.rawRepresentation)
            let large = P521.Signing.PrivateKey()
            try KeyPairStore.store(large, tag: "P-521")
            #expect(
                try KeyPairStore.read(P521.Signing.PrivateKey.self, tag: "P-521")?.rawRepresentation
                    == large.rawRepresentation
            )
            #expect(try KeyPairStore.read(P521.Signing.PrivateKey.self, tag: "nothing") == nil)
        }
    }

    @Test(
        "keys of the Secure Enclave come back by their data representation, on their device",
        arguments: VirtualDevice.Storage.allCases
    )
    func sealed(_ storage: VirtualDevice.Storage) throws {
        let app = try VirtualDevice(storage: storage).install()
        let key = try app.run {
            let key = try SecureEnclave.P256.Signing.PrivateKey()
            try KeyStore.store(key, account: "enclave")
            let read = try #require(try KeyStore.read(SecureEnclave.P256.Signing.PrivateKey.self, account: "enclave"))
            #expect(key.publicKey.isValidSignature(try read.signature(for: message), for: message))
            let encapsulation = try SecureEnclave.MLKEM768.PrivateKey()
            try KeyStore.store(encapsulation, account: "ML-KEM")
            let readEncapsulation = try KeyStore.read(SecureEnclave.MLKEM768.PrivateKey.self, account: "ML-KEM")
            #expect(readEncapsulation?.publicKey.rawRepresentation == encapsulation.publicKey.rawRepresentation)
            return key
        }
        let other = try VirtualDevice(storage: storage).install()
        try other.run { try KeyStore.store(Bytes(bytes: key.dataRepresentation), account: "enclave") }
        #expect(
            other.status { try KeyStore.read(SecureEnclave.P256.Signing.PrivateKey.self, account: "enclave") }
                == errSecDecode
        )
    }

    @Test("what the article shows is what is tested here")
    func article() throws {
        let here = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        let package = here.deletingLastPathComponent().deletingLastPathComponent()
        let path = "Sources/API/CryptoKit/CryptoKit.docc/StoringCryptoKitKeys.md"
        let article = try String(contentsOf: package.appendingPathComponent(path), encoding: .utf8)
        let source = try String(contentsOf: here.appendingPathComponent("KeyStorage.swift"), encoding: .utf8)
        let blocks = article.components(separatedBy: "```swift\n").dropFirst().compactMap {
            $0.components(separatedBy: "\n```").first
        }
        #expect(blocks.count == 5)
        for block in blocks { #expect(source.contains(block)) }
    }

    /// Bytes that are stored as a key.
    private struct Bytes: ByteKey {
        var bytes: Data
    }
}
