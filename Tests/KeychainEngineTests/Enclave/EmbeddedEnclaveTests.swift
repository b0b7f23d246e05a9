// SPDX-License-Identifier: Apache-2.0

import Crypto
import Foundation
import KeychainAuthenticators
import KeychainCore
import KeychainSimulation
import Testing

@testable import KeychainEngine

/// The enclave of a keychain.
struct EmbeddedEnclaveTests {
    private let digest = [UInt8](repeating: 3, count: 32)

    @Test("it is there, and says that it is a program", arguments: VirtualDevice.Storage.allCases)
    func kind(_ storage: VirtualDevice.Storage) throws {
        let enclave = try VirtualDevice(storage: storage).enclave
        #expect(enclave.kind == .software)
        #expect(enclave.isAvailable)
    }

    @Test("keys of every algorithm do what they are for", arguments: EnclaveAlgorithm.allCases)
    func uses(_ algorithm: EnclaveAlgorithm) throws {
        let enclave = try VirtualDevice().enclave
        let made = try enclave.makeKey(algorithm, accessControl: .of(.whenUnlocked, []), context: nil)
        let key = try enclave.key(made.sealed)
        #expect(key == made)
        func use(_ operation: EnclaveOperation) throws -> SecretBytes {
            try enclave.perform(operation, with: key.sealed, nil)
        }
        let message = Data("message".utf8)
        switch algorithm {
        case .p256:
            let digest = SHA256.hash(data: message)
            let publicKey = try P256.Signing.PublicKey(x963Representation: key.publicKey)
            let signature = try use(.sign(digest: Array(digest))).unprotectedCopy
            #expect(publicKey.isValidSignature(try .init(rawRepresentation: signature), for: digest))
            let other = P256.KeyAgreement.PrivateKey()
            let secret = try use(.agree(publicKey: Array(other.publicKey.x963Representation)))
            let expected = try other.sharedSecretFromKeyAgreement(with: .init(x963Representation: key.publicKey))
            #expect(expected == secret.unprotectedCopy)
        case .mlKEM768:
            let result = try MLKEM768.PublicKey(rawRepresentation: key.publicKey).encapsulate()
            let secret = try use(.decapsulate(Array(result.encapsulated))).unprotectedCopy
            #expect(result.sharedSecret == SymmetricKey(data: secret))
        case .mlKEM1024:
            let result = try MLKEM1024.PublicKey(rawRepresentation: key.publicKey).encapsulate()
            let secret = try use(.decapsulate(Array(result.encapsulated))).unprotectedCopy
            #expect(result.sharedSecret == SymmetricKey(data: secret))
        case .mlDSA65:
            let signature = try use(.signMessage(Array(message), context: [1])).unprotectedCopy
            let publicKey = try MLDSA65.PublicKey(rawRepresentation: key.publicKey)
            #expect(publicKey.isValidSignature(signature, for: message, context: [1]))
        case .mlDSA87:
            let signature = try use(.signMessage(Array(message), context: [])).unprotectedCopy
            let publicKey = try MLDSA87.PublicKey(rawRepresentation: key.publicKey)
            #expect(publicKey.isValidSignature(signature, for: message))
        }
    }

    @Test("impossible uses are refused before anybody is asked, and on a locked device too")
    func impossible() throws {
        let device = try VirtualDevice()
        let made = try device.enclave.makeKey(.p256, accessControl: .of(.whenUnlocked, [.userPresence]), context: nil)
        func status(_ operation: EnclaveOperation) -> Status? {
            device.enclave.failure { try $0.perform(operation, with: made.sealed, nil) }
        }
        for _ in 0..<2 {
            #expect(status(.sign(digest: [])) == .parameter)
            #expect(status(.agree(publicKey: [4, 1, 2])) == .parameter)
            #expect(status(.decapsulate([UInt8](repeating: 0, count: 1088))) == .parameter)
            #expect(status(.signMessage([1], context: [])) == .parameter)
            try device.lock()
        }
        #expect(device.prompts.isEmpty)
    }

    @Test("what is no sealed key, or another device's, cannot be decoded", arguments: VirtualDevice.Storage.allCases)
    func foreign(_ storage: VirtualDevice.Storage) throws {
        let device = try VirtualDevice(storage: storage)
        let other = try VirtualDevice(storage: storage)
        let foreign = try other.enclave.makeKey(.p256, accessControl: .of(.always, []), context: nil).sealed
        for sealed in [foreign, SecretBytes(), SecretBytes(Array("SKEK".utf8)), SecretBytes([1, 2, 3])] {
            #expect(device.enclave.failure { try $0.key(sealed) } == .decode)
            #expect(device.enclave.failure { try $0.perform(.sign(digest: [1]), with: sealed, nil) } == .decode)
        }
        #expect(other.enclave.failure { try $0.key(foreign) } == nil)
    }

    @Test("the owner is asked each time, but for what a context has shown")
    func context() throws {
        let device = try VirtualDevice()
        let made = try device.enclave.makeKey(
            .p256,
            accessControl: .of(.whenUnlocked, [.privateKeyUsage, .biometryAny]),
            context: nil
        )
        #expect(device.prompts.isEmpty)
        for _ in 0..<2 { _ = try device.enclave.sign(made) }
        #expect(device.prompts == [.biometry, .biometry])
        var context = AuthenticationContext()
        context.settings.localizedReason = "to sign"
        for _ in 0..<3 { _ = try device.enclave.sign(made, context) }
        #expect(device.prompts == [.biometry, .biometry, .biometry])
        #expect(device.owner.authenticator.prompts.last?.reason == "to sign")
        context.settings.interactionNotAllowed = true
        _ = try device.enclave.sign(made, context)
        var silent = AuthenticationContext()
        silent.settings.interactionNotAllowed = true
        #expect(device.enclave.failure { try $0.sign(made, silent) } == .interactionNotAllowed)
        device.keychain.authentication.invalidate(context.identifier)
        #expect(device.enclave.failure { try $0.sign(made, context) } == .authenticationFailed)
        #expect(device.prompts.count == 3)
    }

    @Test("a key whose constraints are not on its use is made and read, and no use of it is permitted, unasked")
    func otherConstraints() throws {
        let device = try VirtualDevice()
        let password = AuthenticationContext(applicationPassword: SecretBytes([1]))
        let flags: [AccessControlFlags] = [
            .userPresence, .biometryAny, .devicePasscode, [.or, .biometryAny, .devicePasscode], .applicationPassword,
        ]
        let uses: [(EnclaveAlgorithm, EnclaveOperation, String)] = [
            (.p256, .sign(digest: digest), "osgn"),
            (.p256, .agree(publicKey: Array(P256.KeyAgreement.PrivateKey().publicKey.x963Representation)), "ock"),
            (.mlKEM768, .decapsulate([UInt8](repeating: 0, count: 1088)), "ock"),
            (.mlDSA65, .signMessage([1], context: []), "osgn"),
        ]
        for flags in flags {
            for (algorithm, operation, name) in uses {
                let made = try device.enclave.makeKey(
                    algorithm,
                    accessControl: .of(.whenUnlocked, flags),
                    context: password
                )
                #expect(try device.enclave.key(made.sealed) == made)
                let error = #expect(throws: KeychainError.self) {
                    try device.enclave.perform(operation, with: made.sealed, password)
                }
                #expect(error?.kind == .keys(.operationNotAllowed))
                #expect(error?.status == .authenticationFailed)
                #expect(error?.reason.contains("'\(name)'") == true)
            }
        }
        #expect(device.prompts.isEmpty)
        for flags: AccessControlFlags in [[], .privateKeyUsage, [.privateKeyUsage, .userPresence]] {
            _ = try device.enclave.sign(
                device.enclave.makeKey(.p256, accessControl: .of(.whenUnlocked, flags), context: nil)
            )
        }
        _ = try device.enclave.sign(
            device.enclave.makeKey(.p256, accessControl: AccessControl(synthesizedFor: .whenUnlocked), context: nil)
        )
        #expect(device.prompts == [.biometry])
    }

    @Test("the statuses of a failed authentication")
    func statuses() throws {
        let device = try VirtualDevice()
        let made = try device.enclave.makeKey(
            .mlDSA65,
            accessControl: .of(.whenUnlocked, [.privateKeyUsage, .userPresence]),
            context: nil
        )
        let sign = EnclaveOperation.signMessage([1], context: [])
        for (answer, status) in [(Owner.Answer.fails, Status.authenticationFailed), (.cancels, .userCanceled)] {
            device.owner.answer = answer
            #expect(device.enclave.failure { try $0.perform(sign, with: made.sealed, nil) } == status)
        }
        device.owner.answer = .succeeds
        #expect(device.enclave.failure { try $0.perform(sign, with: made.sealed, nil) } == nil)
    }

    @Test("an application password is a part of the key: the context's, or what is typed")
    func applicationPassword() throws {
        let device = try VirtualDevice()
        let accessControl = AccessControl.of(.whenUnlocked, [.privateKeyUsage, .applicationPassword])
        let typed = try device.enclave.makeKey(.p256, accessControl: accessControl, context: nil)
        #expect(device.prompts == [.newApplicationPassword])
        _ = try device.enclave.sign(typed)
        #expect(device.prompts == [.newApplicationPassword, .applicationPassword])
        var right = AuthenticationContext()
        right.applicationPassword = SecretBytes(Array("of the program".utf8))
        let given = try device.enclave.makeKey(.p256, accessControl: accessControl, context: right)
        _ = try device.enclave.sign(given, right)
        var wrong = AuthenticationContext()
        wrong.applicationPassword = SecretBytes(Array("of another".utf8))
        #expect(device.enclave.failure { try $0.sign(given, wrong) } == .authenticationFailed)
        #expect(device.prompts.count == 2)
        device.owner.answer = .fails
        #expect(device.enclave.failure { try $0.sign(typed) } == .authenticationFailed)
        var silent = AuthenticationContext()
        silent.settings.interactionNotAllowed = true
        #expect(
            device.enclave.failure { try $0.makeKey(.p256, accessControl: accessControl, context: silent) }
                == .interactionNotAllowed
        )
    }

    @Test("a key of the current biometry is gone for good when the enrolled set changes, and nobody is asked")
    func enrolledSet() throws {
        let device = try VirtualDevice()
        let current = try device.enclave.makeKey(
            .p256,
            accessControl: .of(.whenUnlocked, [.privateKeyUsage, .biometryCurrentSet]),
            context: nil
        )
        let any = try device.enclave.makeKey(
            .p256,
            accessControl: .of(.whenUnlocked, [.privateKeyUsage, .biometryAny]),
            context: nil
        )
        let enrolledSet = try #require(device.owner.authenticator.biometry.enrolledSet)
        #expect(current.accessControl.enrolledSet == enrolledSet)
        #expect(any.accessControl.enrolledSet == nil)
        _ = try device.enclave.sign(current)
        let asked = device.prompts.count
        device.enrollBiometry()
        #expect(device.enclave.failure { try $0.sign(current) } == .authenticationFailed)
        #expect(device.prompts.count == asked)
        #expect(device.enclave.failure { try $0.sign(any) } == nil)
    }

    @Test("constraints that nobody could ever satisfy are refused when a key is made")
    func unsatisfiable() throws {
        let without = try VirtualDevice(passcode: nil).enclave
        #expect(
            without.failure { try $0.makeKey(.p256, accessControl: .of(.whenUnlocked, [.userPresence]), context: nil) }
                == .authenticationFailed
        )
        #expect(
            without.failure {
                try $0.makeKey(.p256, accessControl: .of(.whenUnlocked, [.privateKeyUsage]), context: nil)
            } == nil
        )
        #expect(
            without.failure { try $0.makeKey(.p256, accessControl: .of(.untilReboot, []), context: nil) } == .parameter
        )
        let passcodeOnly = AccessControl.of(.whenPasscodeSetThisDeviceOnly, [])
        #expect(without.failure { try $0.makeKey(.p256, accessControl: passcodeOnly, context: nil) } == .notAvailable)
        let blank = try VirtualDevice(biometry: .none).enclave
        #expect(
            blank.failure {
                try $0.makeKey(.p256, accessControl: .of(.whenUnlocked, [.biometryCurrentSet]), context: nil)
            }
                == .authenticationFailed
        )
        #expect(
            blank.failure { try $0.makeKey(.p256, accessControl: .of(.whenUnlocked, [.devicePasscode]), context: nil) }
                == nil
        )
    }

    @Test("another process at the same keychain uses a key once it is unlocked, and no longer after a lock")
    func processes() throws {
        let device = try VirtualDevice(storage: .file)
        let made = try device.enclave.makeKey(.p256, accessControl: .of(.whenUnlockedThisDeviceOnly, []), context: nil)
        let other = try device.anotherProcess()
        #expect(other.enclave.failure { try $0.key(made.sealed) } == nil)
        #expect(other.enclave.failure { try $0.sign(made) } == .interactionNotAllowed)
        try other.device.unlock(passcode: SecretBytes(Array("1234".utf8)))
        let signature = try P256.Signing.ECDSASignature(rawRepresentation: other.enclave.sign(made).unprotectedCopy)
        let publicKey = try P256.Signing.PublicKey(x963Representation: made.publicKey)
        #expect(publicKey.isValidSignature(signature, for: SHA256Bytes(digest)))
        try device.lock()
        #expect(other.enclave.failure { try $0.sign(made) } == .interactionNotAllowed)
    }

    @Test(
        "a changed passcode keeps every key, a removed one takes those that ask for it",
        arguments: VirtualDevice.Storage.allCases
    )
    func passcode(_ storage: VirtualDevice.Storage) throws {
        let device = try VirtualDevice(storage: storage)
        let keys = try Accessibility.stored.map {
            try device.enclave.makeKey(.p256, accessControl: .of($0, []), context: nil)
        }
        try device.changePasscode(to: "5678")
        for key in keys { #expect(device.enclave.failure { try $0.sign(key) } == nil) }
        try device.removePasscode()
        for key in keys {
            let isGone = key.accessControl.protection == .whenPasscodeSetThisDeviceOnly
            #expect(device.enclave.failure { try $0.sign(key) } == (isGone ? .itemNotFound : nil))
        }
    }

    @Test("a device that was erased opens no key of before")
    func erased() throws {
        let device = try VirtualDevice(storage: .file)
        try device.keychain.device.setPolicy(DevicePolicy(eraseAfterFailedAttempts: 1))
        let made = try device.enclave.makeKey(.p256, accessControl: .of(.alwaysThisDeviceOnly, []), context: nil)
        #expect(throws: KeychainError.self) { try device.keychain.device.unlock(passcode: SecretBytes([9])) }
        #expect(device.enclave.failure { try $0.key(made.sealed) } == .decode)
    }
}

/// A digest that a test makes up.
private struct SHA256Bytes: Digest {
    static let byteCount = 32

    let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var description: String { "\(bytes)" }

    func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try bytes.withUnsafeBytes(body)
    }
}
