// SPDX-License-Identifier: Apache-2.0

import Crypto
import Foundation
import KeychainCore
import Testing

@testable import KeychainProtection

/// What keys of the enclave do, judged by swift-crypto's public keys.
struct EnclaveUseTests {
    @Test("a signature of a digest of any hash function verifies")
    func ecdsa() throws {
        let key = try Made(.p256)
        let message = Data("message".utf8)
        let publicKey = try P256.Signing.PublicKey(x963Representation: key.made.publicKey)
        func signature(_ digest: some Sequence<UInt8>) throws -> P256.Signing.ECDSASignature {
            try .init(rawRepresentation: key.perform(.sign(digest: Array(digest))).unprotectedCopy)
        }
        let short = Insecure.SHA1.hash(data: message)
        #expect(publicKey.isValidSignature(try signature(short), for: short))
        let middle = SHA256.hash(data: message)
        #expect(publicKey.isValidSignature(try signature(middle), for: middle))
        let long = SHA512.hash(data: message)
        #expect(publicKey.isValidSignature(try signature(long), for: long))
        #expect(!publicKey.isValidSignature(try signature(long), for: middle))
    }

    @Test("both sides of an agreement have the same secret")
    func ecdh() throws {
        let key = try Made(.p256)
        let other = P256.KeyAgreement.PrivateKey()
        let publicKey = try P256.KeyAgreement.PublicKey(x963Representation: key.made.publicKey)
        let expected = try other.sharedSecretFromKeyAgreement(with: publicKey).withUnsafeBytes(
            SecretBytes.init(copying:)
        )
        #expect(try key.perform(.agree(publicKey: Array(other.publicKey.x963Representation))) == expected)
        #expect(throws: Never.self) {
            try P256.KeyAgreement.PublicKey(compactRepresentation: #require(publicKey.compactRepresentation))
        }
    }

    @Test("what was encapsulated is decapsulated")
    func mlKEM() throws {
        let small = try Made(.mlKEM768)
        let one = try MLKEM768.PublicKey(rawRepresentation: small.made.publicKey).encapsulate()
        #expect(try small.perform(.decapsulate(Array(one.encapsulated))) == SecretBytes(one.sharedSecret))
        let large = try Made(.mlKEM1024)
        let other = try MLKEM1024.PublicKey(rawRepresentation: large.made.publicKey).encapsulate()
        #expect(try large.perform(.decapsulate(Array(other.encapsulated))) == SecretBytes(other.sharedSecret))
    }

    @Test("a signature of a message verifies in its context only", arguments: [[], Array("context".utf8)])
    func mlDSA(_ context: [UInt8]) throws {
        let message = Array("message".utf8)
        let operation = EnclaveOperation.signMessage(message, context: context)
        let small = try Made(.mlDSA65)
        let one = try MLDSA65.PublicKey(rawRepresentation: small.made.publicKey)
        let signature = try small.perform(operation).unprotectedCopy
        #expect(one.isValidSignature(signature, for: message, context: context))
        #expect(!one.isValidSignature(signature, for: message, context: context + [0]))
        let large = try Made(.mlDSA87)
        let other = try MLDSA87.PublicKey(rawRepresentation: large.made.publicKey)
        #expect(other.isValidSignature(try large.perform(operation).unprotectedCopy, for: message, context: context))
    }

    @Test("an algorithm has its own uses only, with possible parameters")
    func impossible() throws {
        let point = Array(P256.KeyAgreement.PrivateKey().publicKey.x963Representation)
        let uses: [(EnclaveOperation, Set<EnclaveAlgorithm>)] = [
            (.sign(digest: [1]), [.p256]),
            (.sign(digest: []), []),
            (.agree(publicKey: point), [.p256]),
            (.agree(publicKey: Array(point.dropLast())), []),
            (.agree(publicKey: point.dropLast() + [point[64] ^ 1]), []),
            (.agree(publicKey: [0]), []),
            (.decapsulate([UInt8](repeating: 0, count: 1088)), [.mlKEM768]),
            (.decapsulate([UInt8](repeating: 0, count: 1568)), [.mlKEM1024]),
            (.decapsulate([]), []),
            (.signMessage([], context: []), [.mlDSA65, .mlDSA87]),
            (.signMessage([1], context: [UInt8](repeating: 0, count: 255)), [.mlDSA65, .mlDSA87]),
            (.signMessage([1], context: [UInt8](repeating: 0, count: 256)), []),
        ]
        for (operation, algorithms) in uses {
            for algorithm in EnclaveAlgorithm.allCases {
                #expect((EnclaveUse(operation, algorithm) != nil) == algorithms.contains(algorithm))
            }
        }
    }

    @Test("an application password takes part in the key")
    func password() throws {
        let device = try TestStore().device()
        let right = try PasswordKey(new: "right", .testing)
        let accessControl = AccessControl.of(.whenUnlocked, [.applicationPassword])
        #expect(throws: ProtectionError.passwordMissing) { try device.makeEnclaveKey(.p256, accessControl) }
        let key = try device.sealedKey(device.makeEnclaveKey(.p256, accessControl, passwordKey: right).sealed)
        let sign = try #require(EnclaveUse(.sign(digest: [1]), .p256))
        #expect(throws: ProtectionError.passwordMissing) { try device.perform(sign, with: key) }
        let other = try PasswordKey(new: "right", .testing)
        #expect(throws: ProtectionError.passwordMissing) { try device.perform(sign, with: key, passwordKey: other) }
        let header = try #require(try device.passwordHeader(of: key))
        let typed = try #require(try PasswordKey("right", header))
        #expect(try device.perform(sign, with: key, passwordKey: typed).count == 64)
        #expect(try PasswordKey("wrong", header) == nil)
        // The header alone does not do: the key is what opens it.
        let forged = PasswordKey(header: header, key: other.key)
        #expect(throws: ProtectionError.damagedKey) { try device.perform(sign, with: key, passwordKey: forged) }
    }

    @Test("a level decides by the lock state whether a key can be used")
    func availability() throws {
        var store = try TestStore.withPasscode()
        let unlocked = try store.device()
        let states: [Accessibility: SealedKey] = try .init(
            uniqueKeysWithValues: Accessibility.stored.map {
                ($0, try unlocked.sealedKey(unlocked.makeEnclaveKey(.p256, .of($0, [])).sealed))
            }
        )
        let sign = try #require(EnclaveUse(.sign(digest: [1]), .p256))
        func usable(_ device: Sealer) -> Set<Accessibility> {
            Set(states.filter { (try? device.perform(sign, with: $0.value)) != nil }.keys)
        }
        let always: Set<Accessibility> = [.always, .alwaysThisDeviceOnly]
        let afterFirst = always.union([.afterFirstUnlock, .afterFirstUnlockThisDeviceOnly])
        #expect(usable(unlocked) == Set(Accessibility.stored))
        #expect(usable(Sealer(try store.keybag())) == always)
        #expect(usable(Sealer(try store.keybag(), try store.unlocked()?.locked())) == afterFirst)
        try store.changePasscode("5678")
        #expect(usable(try store.device()) == Set(Accessibility.stored))
    }

    @Test("a key that asks for a passcode goes with it")
    func removedPasscode() throws {
        var store = try TestStore.withPasscode()
        let made = try store.device().makeEnclaveKey(.p256, .of(.whenPasscodeSetThisDeviceOnly, []))
        let other = try store.device().makeEnclaveKey(.p256, .of(.whenUnlocked, []))
        try store.removePasscode()
        #expect(throws: ProtectionError.destroyedKey) { try store.device().sealedKey(made.sealed) }
        #expect(throws: Never.self) { try store.device().sealedKey(other.sealed) }
        #expect(throws: ProtectionError.noPasscode) {
            try store.device().makeEnclaveKey(.p256, .of(.whenPasscodeSetThisDeviceOnly, []))
        }
        try store.setPasscode("1234")
        #expect(throws: ProtectionError.destroyedKey) { try store.device().sealedKey(made.sealed) }
        #expect(throws: Never.self) { try store.device().sealedKey(other.sealed) }
    }
}

/// A key of a device without a passcode.
private struct Made {
    let device: Sealer
    let made: EnclaveKey

    init(_ algorithm: EnclaveAlgorithm) throws {
        device = try TestStore().device()
        made = try device.makeEnclaveKey(algorithm, .of(.whenUnlocked, []))
    }

    func perform(_ operation: EnclaveOperation) throws -> SecretBytes {
        let use = try #require(EnclaveUse(operation, made.algorithm))
        return try device.perform(use, with: device.sealedKey(made.sealed))
    }
}

extension SecretBytes {
    fileprivate init(_ key: SymmetricKey) { self = key.withUnsafeBytes(SecretBytes.init(copying:)) }
}
