// SPDX-License-Identifier: Apache-2.0

import Crypto
import Foundation
import KeychainCore
import KeychainTestSupport
import Testing

@testable import KeychainProtection

/// The sealed form of keys of the enclave.
struct SealedKeyTests {
    /// Access controls of every shape that the form tells apart.
    static let accessControls: [AccessControl] = [
        AccessControl(synthesizedFor: .whenUnlocked),
        .of(.afterFirstUnlockThisDeviceOnly, []),
        .of(.whenPasscodeSetThisDeviceOnly, [.privateKeyUsage, .userPresence]),
        .of(.whenUnlockedThisDeviceOnly, [.biometryCurrentSet, .or, .devicePasscode]),
        .of(.alwaysThisDeviceOnly, [.applicationPassword, .biometryCurrentSet]),
    ]

    @Test("a sealed key is read as it was made, in every lock state", arguments: EnclaveAlgorithm.allCases)
    func roundTrip(_ algorithm: EnclaveAlgorithm) throws {
        let store = try TestStore.withPasscode()
        let device = try store.device()
        let locked = Sealer(try store.keybag())
        for accessControl in Self.accessControls {
            let password = try PasswordKey(new: "application password", .testing)
            let made = try device.makeEnclaveKey(algorithm, accessControl, passwordKey: password)
            #expect(made.algorithm == algorithm)
            #expect(made.publicKey.count == algorithm.publicKeyByteCount)
            for device in [device, locked] {
                let read = try device.sealedKey(made.sealed)
                #expect(read.algorithm == algorithm)
                #expect(read.publicKey == made.publicKey)
                #expect(read.accessControl == accessControl)
                #expect(read.accessControl.enrolledSet == accessControl.enrolledSet)
            }
            let needsPassword = accessControl.constraints?.requiresApplicationPassword ?? false
            let header = try device.passwordHeader(of: device.sealedKey(made.sealed))
            #expect(header == (needsPassword ? password.header : nil))
        }
    }

    @Test("the bytes are those of the format")
    func layout() throws {
        let device = try TestStore.withPasscode().device()
        let password = try PasswordKey(new: "application password", .testing)
        let accessControl = AccessControl.of(.whenUnlockedThisDeviceOnly, [.applicationPassword, .biometryCurrentSet])
        let key = try device.makeEnclaveKey(.mlKEM768, accessControl, passwordKey: password)
        let bytes = key.sealed.unprotectedCopy
        var expected = Array("SKEK".utf8) + [2, 2, 3] + Array("aku".utf8)
        expected += [1, 0, 0, 0]
        expected += [8, 0, 0, 0x80, 0, 0, 0, 0]
        expected += [UInt8](repeating: 7, count: 16)
        expected += key.publicKey
        #expect(Array(bytes.prefix(expected.count)) == expected)
        #expect(bytes.count == expected.count + 16 + 12 + (41 + 16 + 12 + 64 + 16) + 16 + 32)
        #expect(Data(bytes).range(of: Data(password.header.salt)) == nil)
        let code = device.keybag.rootSlot.key.withKey { rootSlotKey in
            let info = Array("swift-keychain 2 sealed key authentication".utf8) + [0] + device.storeIdentifier.bytes
            let key = HKDF<SHA256>.expand(pseudoRandomKey: rootSlotKey, info: info, outputByteCount: 32)
            return Array(HMAC<SHA256>.authenticationCode(for: bytes.dropLast(32), using: key))
        }
        #expect(Array(bytes.suffix(32)) == code)
    }

    @Test("an altered form is told from a locked one, whatever is altered", arguments: accessControls)
    func flipped(_ accessControl: AccessControl) throws {
        let store = try TestStore.withPasscode()
        let device = try store.device()
        let locked = Sealer(try store.keybag())
        let password = try PasswordKey(new: "application password", .testing)
        let sealed = try device.makeEnclaveKey(.p256, accessControl, passwordKey: password).sealed.unprotectedCopy
        for index in sealed.indices {
            var altered = sealed
            altered[index] ^= 1 << UInt8(index % 8)
            #expect(Self.failure(device, altered) == .damagedKey, "byte \(index)")
            #expect(Self.failure(locked, altered) == .damagedKey, "byte \(index)")
        }
    }

    @Test("a form of another length is none", arguments: accessControls)
    func otherLengths(_ accessControl: AccessControl) throws {
        let device = try TestStore.withPasscode().device()
        let password = try PasswordKey(new: "application password", .testing)
        let sealed = try device.makeEnclaveKey(.p256, accessControl, passwordKey: password).sealed.unprotectedCopy
        for count in sealed.indices { #expect(Self.failure(device, Array(sealed.prefix(count))) == .damagedKey) }
        #expect(Self.failure(device, sealed + [0]) == .damagedKey)
        #expect(Self.failure(device, [0] + sealed) == .damagedKey)
    }

    @Test("its password cannot be guessed at with the root key alone")
    func headerIsBehindTheClassKey() throws {
        let store = try TestStore.withPasscode()
        let password = try PasswordKey(new: "application password", .testing)
        let made = try store.device().makeEnclaveKey(
            .p256,
            .of(.whenUnlocked, [.applicationPassword]),
            passwordKey: password
        )
        let locked = Sealer(try store.keybag())
        let key = try locked.sealedKey(made.sealed)
        #expect(throws: ProtectionError.classUnavailable("ak")) { try locked.passwordHeader(of: key) }
        let strict = try TestStore()
        let weak = try strict.device().makeEnclaveKey(
            .p256,
            .of(.always, [.applicationPassword]),
            passwordKey: password
        )
        let device = Sealer(try OpenKeybag(strict.bytes, rootKey: strict.rootKey))
        #expect(throws: ProtectionError.damagedKey) { try device.passwordHeader(of: device.sealedKey(weak.sealed)) }
    }

    @Test("another device takes nothing, nor does this one after it was erased")
    func otherDevice() throws {
        let store = try TestStore.withPasscode()
        let sealed = try store.device().makeEnclaveKey(.p256, .of(.always, [])).sealed.unprotectedCopy
        #expect(Self.failure(try TestStore.withPasscode().device(), sealed) == .damagedKey)
        let erased = try OpenKeybag(
            OpenKeybag.make(rootKey: store.rootKey),
            rootKey: store.rootKey,
            floor: TestStore.floor
        )
        #expect(Self.failure(Sealer(erased), sealed) == .damagedKey)
    }

    @Test("an attacker who can recompute the code still opens nothing that was altered")
    func forged() throws {
        let device = try TestStore.withPasscode().device()
        let presence = AccessControl.of(.whenUnlocked, [.userPresence])
        let made = try device.makeEnclaveKey(.p256, presence)
        let other = try device.makeEnclaveKey(.p256, presence)
        let key = try device.sealedKey(made.sealed)
        let stranger = try device.sealedKey(other.sealed)
        let sign = try #require(EnclaveUse(.sign(digest: [1]), .p256))
        #expect(throws: Never.self) { try device.perform(sign, with: key) }
        let forgeries = [
            key.replacing(accessControl: .of(.whenUnlocked, [])),
            key.replacing(accessControl: .of(.always, [.userPresence])),
            key.replacing(publicKey: stranger.publicKey),
            key.replacing(salt: stranger.salt),
            key.replacing(sealedPrivateKey: stranger.sealedPrivateKey),
        ]
        for forgery in forgeries {
            let believed = try device.sealedKey(SecretBytes(forgery.encoded(device.keybag)))
            #expect(throws: ProtectionError.damagedKey) { try device.perform(sign, with: believed) }
        }
    }

    @Test("no part of the private key can be read in the sealed form", arguments: EnclaveAlgorithm.allCases)
    func notExported(_ algorithm: EnclaveAlgorithm) throws {
        let device = try TestStore().device()
        let made = try device.makeEnclaveKey(algorithm, .of(.whenUnlocked, []))
        let key = try device.sealedKey(made.sealed)
        let privateKey = try key.withPrivateKey(openedBy: device, passwordKey: nil) { bytes throws(ProtectionError) in
            Array(bytes)
        }
        #expect(privateKey.count == algorithm.privateKeyByteCount)
        let sealed = Data(made.sealed.unprotectedCopy)
        for start in 0...(privateKey.count - 16) {
            #expect(sealed.range(of: Data(privateKey[start..<start + 16])) == nil)
        }
    }

    @Test("the same key looks different each time it is made")
    func randomized() throws {
        let device = try TestStore().device()
        let keys = try (0..<8).map { _ in try device.makeEnclaveKey(.p256, .of(.whenUnlocked, [])) }
        #expect(Set(keys.map(\.publicKey)).count == keys.count)
        let salts = try keys.map { try device.sealedKey($0.sealed).salt }
        #expect(Set(salts).count == keys.count)
    }

    @Test("random and mutated bytes are read or refused, and what is read is written the same")
    func mutated() throws {
        var generator = SeededGenerator(seed: 5)
        let device = try TestStore.withPasscode().device()
        let password = try PasswordKey(new: "application password", .testing)
        let samples = try Self.accessControls.map {
            try device.makeEnclaveKey(.p256, $0, passwordKey: password).sealed.unprotectedCopy
        }
        var readable = 0
        for round in 0..<4_000 {
            var bytes = samples[round % samples.count]
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                bytes[Int.random(in: 0..<min(48, bytes.count), using: &generator)] = .random(
                    in: 0...255,
                    using: &generator
                )
            }
            if round % 7 == 0 { bytes.removeLast(Int.random(in: 0..<bytes.count, using: &generator)) }
            guard let parsed = try? SealedKey.Parsed(bytes) else { continue }
            readable += 1
            #expect(parsed.key.body == Array(bytes.dropLast(32)))
        }
        #expect(readable > 100)
    }

    private static func failure(_ device: Sealer, _ bytes: [UInt8]) -> ProtectionError? {
        do throws(ProtectionError) {
            _ = try device.sealedKey(SecretBytes(bytes))
            return nil
        } catch {
            return error
        }
    }
}

extension AccessControl {
    /// An access control of flags, made while the set of sevens was enrolled.
    static func of(_ protection: Accessibility, _ flags: AccessControlFlags) -> AccessControl {
        guard let constraints = AccessConstraints(flags) else { preconditionFailure("the flags contradict each other") }
        var accessControl = AccessControl(protection: protection, constraints: constraints)
        if flags.contains(.biometryCurrentSet) { accessControl.enrolledSet = Bytes16([UInt8](repeating: 7, count: 16)) }
        return accessControl
    }
}

extension SealedKey {
    fileprivate func replacing(
        accessControl: AccessControl? = nil,
        publicKey: [UInt8]? = nil,
        salt: Bytes16? = nil,
        sealedPrivateKey: [UInt8]? = nil
    ) -> SealedKey {
        SealedKey(
            algorithm: algorithm,
            accessControl: accessControl ?? self.accessControl,
            publicKey: publicKey ?? self.publicKey,
            generation: generation,
            salt: salt ?? self.salt,
            sealedPrivateKey: sealedPrivateKey ?? self.sealedPrivateKey
        )
    }
}
