// SPDX-License-Identifier: Apache-2.0

import CryptoKit
import Foundation
import KeychainAuthenticators
import KeychainCore
import KeychainServices
import KeychainSimulation
import KeychainTestSupport
import LocalAuthentication
import Security
import Testing

/// `SecureEnclave` as programs for Apple's platforms use it.
struct SecureEnclaveTests {
    private let message = Data("message".utf8)

    @Test("it is available where there is a keychain, and not where there is none")
    func available() throws {
        #expect(try VirtualDevice().install().run { SecureEnclave.isAvailable })
        let none = KeychainContext(backend: FakeKeychain(failingWith: .notAvailable), client: .init(accessGroups: []))
        KeychainContext.$current.withValue(none) {
            #expect(!SecureEnclave.isAvailable)
            #expect(throws: (any Error).self) { try SecureEnclave.P256.Signing.PrivateKey() }
        }
    }

    @Test(
        "signatures verify with the public key, after the key was read again too",
        arguments: VirtualDevice.Storage.allCases
    )
    func signing(_ storage: VirtualDevice.Storage) throws {
        let app = try VirtualDevice(storage: storage).install()
        try app.run {
            let made = try SecureEnclave.P256.Signing.PrivateKey()
            let read = try SecureEnclave.P256.Signing.PrivateKey(dataRepresentation: made.dataRepresentation)
            #expect(read.publicKey.rawRepresentation == made.publicKey.rawRepresentation)
            for key in [made, read] {
                #expect(made.publicKey.isValidSignature(try key.signature(for: message), for: message))
                let digest = SHA384.hash(data: message)
                #expect(made.publicKey.isValidSignature(try key.signature(for: digest), for: digest))
            }
            #expect(made.publicKey.compactRepresentation != nil)
        }
    }

    @Test("an agreement gives both sides the same secret")
    func agreement() throws {
        try VirtualDevice().install().run {
            for _ in 0..<4 {
                let key = try SecureEnclave.P256.KeyAgreement.PrivateKey(compactRepresentable: false)
                let other = P256.KeyAgreement.PrivateKey()
                let here = try key.sharedSecretFromKeyAgreement(with: other.publicKey)
                let there = try other.sharedSecretFromKeyAgreement(with: key.publicKey)
                #expect(here == there)
                let derived = [here, there].map {
                    $0.hkdfDerivedSymmetricKey(
                        using: SHA256.self,
                        salt: message,
                        sharedInfo: message,
                        outputByteCount: 32
                    )
                }
                #expect(derived[0] == derived[1])
            }
            func isAgreement(_: some DiffieHellmanKeyAgreement) -> Bool { true }
            #expect(isAgreement(try SecureEnclave.P256.KeyAgreement.PrivateKey()))
        }
    }

    @Test("ML-KEM decapsulates what its public key encapsulated")
    func mlKEM() throws {
        try VirtualDevice().install().run {
            let small = try SecureEnclave.MLKEM768.PrivateKey.generate()
            let one = try small.publicKey.encapsulate()
            #expect(try small.decapsulate(one.encapsulated) == one.sharedSecret)
            let again = try SecureEnclave.MLKEM768.PrivateKey(dataRepresentation: Array(small.dataRepresentation))
            #expect(try again.decapsulate(one.encapsulated) == one.sharedSecret)
            let large = try SecureEnclave.MLKEM1024.PrivateKey()
            let other = try large.publicKey.encapsulate()
            #expect(try large.decapsulate(other.encapsulated) == other.sharedSecret)
            func throughProtocol(_ key: some KEMPrivateKey) throws -> SymmetricKey {
                try key.decapsulate(one.encapsulated)
            }
            #expect(try throughProtocol(small) == one.sharedSecret)
        }
    }

    @Test("ML-DSA signs, in a context or without one")
    func mlDSA() throws {
        try VirtualDevice().install().run {
            let small = try SecureEnclave.MLDSA65.PrivateKey()
            #expect(small.publicKey.isValidSignature(try small.signature(for: message), for: message))
            let signature = try small.signature(for: message, context: [1, 2])
            #expect(small.publicKey.isValidSignature(signature, for: message, context: [1, 2]))
            #expect(!small.publicKey.isValidSignature(signature, for: message))
            let large = try SecureEnclave.MLDSA87.PrivateKey()
            let again = try SecureEnclave.MLDSA87.PrivateKey(dataRepresentation: large.dataRepresentation)
            #expect(large.publicKey.isValidSignature(try again.signature(for: message), for: message))
        }
    }

    @Test("a data representation is good for its algorithm, unaltered, and on its device")
    func dataRepresentation() throws {
        let app = try VirtualDevice().install()
        let key = try app.run { try SecureEnclave.P256.Signing.PrivateKey() }
        let data = key.dataRepresentation
        let other = try VirtualDevice().install()
        #expect(other.status { try SecureEnclave.P256.Signing.PrivateKey(dataRepresentation: data) } == errSecDecode)
        #expect(
            app.status { try SecureEnclave.P256.KeyAgreement.PrivateKey(dataRepresentation: data) } == errSecSuccess
        )
        #expect(app.status { try SecureEnclave.MLKEM768.PrivateKey(dataRepresentation: data) } == errSecDecode)
        #expect(app.status { try SecureEnclave.MLDSA65.PrivateKey(dataRepresentation: data) } == errSecDecode)
        #expect(app.status { try SecureEnclave.P256.Signing.PrivateKey(dataRepresentation: Data()) } == errSecDecode)
        var altered = data
        altered[30] ^= 1
        #expect(app.status { try SecureEnclave.P256.Signing.PrivateKey(dataRepresentation: altered) } == errSecDecode)
    }

    @Test("a key of which nothing is said locks with the first unlock, one of a level with its level")
    func locks() throws {
        let app = try VirtualDevice().install()
        let usual = try app.run { try SecureEnclave.P256.Signing.PrivateKey() }
        let strict = try app.run {
            try SecureEnclave.P256.Signing.PrivateKey(
                accessControl: #require(access(kSecAttrAccessibleWhenUnlocked, []))
            )
        }
        try app.device.lock()
        #expect(app.status { try usual.signature(for: message) } == errSecSuccess)
        #expect(app.status { try strict.signature(for: message) } == errSecInteractionNotAllowed)
        let data = strict.dataRepresentation
        #expect(app.status { try SecureEnclave.P256.Signing.PrivateKey(dataRepresentation: data) } == errSecSuccess)
        app.device.reboot()
        #expect(app.status { try usual.signature(for: message) } == errSecInteractionNotAllowed)
        #expect(app.status { try SecureEnclave.P256.Signing.PrivateKey() } == errSecInteractionNotAllowed)
    }

    @Test("the owner is asked in the context that the key was given")
    func context() throws {
        let app = try VirtualDevice().install()
        let context = LAContext()
        let guarded = try #require(access(kSecAttrAccessibleWhenUnlocked, [.privateKeyUsage, .userPresence]))
        let key = try app.run {
            try SecureEnclave.P256.Signing.PrivateKey(accessControl: guarded, authenticationContext: context)
        }
        for _ in 0..<2 { #expect(app.status { try key.signature(for: message) } == errSecSuccess) }
        #expect(app.device.owner.authenticator.prompts.count == 1)
        let alone = try app.run {
            try SecureEnclave.P256.Signing.PrivateKey(dataRepresentation: key.dataRepresentation)
        }
        app.device.owner.answer = .cancels
        #expect(app.status { try alone.signature(for: message) } == errSecUserCanceled)
        app.device.owner.answer = .fails
        #expect(app.status { try alone.signature(for: message) } == errSecAuthFailed)
        #expect(app.status { try key.signature(for: message) } == errSecSuccess)
        context.invalidate()
        #expect(app.status { try key.signature(for: message) } == errSecAuthFailed)
        let silent = LAContext()
        silent.interactionNotAllowed = true
        let unasked = try app.run {
            try SecureEnclave.P256.Signing.PrivateKey(
                dataRepresentation: key.dataRepresentation,
                authenticationContext: silent
            )
        }
        #expect(app.status { try unasked.signature(for: message) } == errSecInteractionNotAllowed)
    }

    @Test("a key whose constraints are not on its use is made, and no use of it is permitted, without a question")
    func otherConstraints() throws {
        let app = try VirtualDevice().install()
        try app.run {
            let guarded = try #require(access(kSecAttrAccessibleWhenUnlocked, .userPresence))
            let signing = try SecureEnclave.P256.Signing.PrivateKey(accessControl: guarded)
            let agreeing = try SecureEnclave.P256.KeyAgreement.PrivateKey(accessControl: guarded)
            let encapsulated = try SecureEnclave.MLKEM768.PrivateKey().publicKey.encapsulate().encapsulated
            let uses: [(String, () throws -> Void)] = [
                ("osgn", { _ = try signing.signature(for: self.message) }),
                (
                    "ock",
                    {
                        _ = try agreeing.sharedSecretFromKeyAgreement(
                            with: P256.KeyAgreement.PrivateKey().publicKey
                        )
                    }
                ),
                (
                    "osgn",
                    { _ = try SecureEnclave.MLDSA65.PrivateKey(accessControl: guarded).signature(for: self.message) }
                ),
                (
                    "ock",
                    { _ = try SecureEnclave.MLKEM768.PrivateKey(accessControl: guarded).decapsulate(encapsulated) }
                ),
            ]
            for (name, use) in uses {
                let error = #expect(throws: NSError.self) { try use() }
                #expect(error?.domain == LAErrorDomain)
                #expect(error?.code == -1009)
                #expect(error?.localizedDescription == "ACL operation is not allowed: '\(name)'")
            }
        }
        #expect(app.device.owner.authenticator.prompts.isEmpty)
    }

    private func access(_ level: CFString, _ flags: SecAccessControlCreateFlags) -> SecAccessControl? {
        SecAccessControlCreateWithFlags(nil, level, flags, nil)
    }
}
