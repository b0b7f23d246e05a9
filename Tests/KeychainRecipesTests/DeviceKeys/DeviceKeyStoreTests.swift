// SPDX-License-Identifier: Apache-2.0

import CryptoKit
import Foundation
import Keychain
import KeychainRecipes
import KeychainTesting
import LocalAuthentication
import Security
import Testing

@Suite("Device keys", .keychain) struct DeviceKeyStoreTests {
    private let keychain = SystemKeychain()
    private let protection = Protection.accessible(.afterFirstUnlockThisDeviceOnly)
    private let data = Data("to sign".utf8)
    private var device: VirtualDevice { get throws { try #require(App.current).device } }
    private let record = GenericPassword(service: "keys", account: "device")

    private func store(enclave: Bool = true) -> DeviceKeyStore {
        DeviceKeyStore(service: "keys", in: keychain, isEnclaveAvailable: { enclave })
    }

    private func reason(_ body: () throws(DeviceKeyError) -> Void) -> DeviceKeyError.Reason? {
        do throws(DeviceKeyError) { try body() } catch { return error.reason }
        return nil
    }

    @Test("sign, wherever they live, and are found again", arguments: [true, false])
    func signing(enclave: Bool) throws {
        let store = store(enclave: enclave)
        #expect(try store.signingKey(named: "device") == nil)
        let made = try store.makeSigningKey(named: "device", protection: protection, fallback: .software)
        #expect(made.origin == (enclave ? .secureEnclave : .software))
        let found = try #require(try store.signingKey(named: "device"))
        #expect(found.origin == made.origin)
        #expect(found.publicKey.x963Representation == made.publicKey.x963Representation)
        #expect(made.publicKey.isValidSignature(try found.signature(for: data), for: data))
        #expect(try store.deleteKey(named: "device"))
        #expect(try !store.deleteKey(named: "device"))
    }

    @Test("agree, wherever they live", arguments: [true, false]) func agreement(enclave: Bool) throws {
        let store = store(enclave: enclave)
        #expect(try store.agreementKey(named: "device") == nil)
        let made = try store.makeAgreementKey(named: "device", protection: protection, fallback: .software)
        let found = try #require(try store.agreementKey(named: "device"))
        #expect(found.origin == (enclave ? .secureEnclave : .software))
        let peer = P256.KeyAgreement.PrivateKey()
        let secret = try found.sharedSecret(with: peer.publicKey)
        #expect(try peer.sharedSecretFromKeyAgreement(with: made.publicKey) == secret)
    }

    @Test("are what they were made as, also where the enclave has come or gone") func originIsKept() throws {
        _ = try store(enclave: false).makeSigningKey(named: "device", protection: protection, fallback: .software)
        #expect(try store(enclave: true).signingKey(named: "device")?.origin == .software)
        try store().deleteKey(named: "device")
        _ = try store(enclave: true).makeSigningKey(named: "device", protection: protection, fallback: .refuse)
        #expect(
            reason { () throws(DeviceKeyError) in _ = try store(enclave: false).signingKey(named: "device") }
                == .noEnclave
        )
    }

    @Test("are never replaced silently, nor made weaker than asked for") func refusals() throws {
        let made = try store().makeSigningKey(named: "device", protection: protection, fallback: .software)
        #expect(
            reason { () throws(DeviceKeyError) in
                _ = try store().makeSigningKey(named: "device", protection: protection, fallback: .software)
            } == .alreadyExists
        )
        #expect(reason { () throws(DeviceKeyError) in _ = try store().agreementKey(named: "device") } == .otherPurpose)
        #expect(
            reason { () throws(DeviceKeyError) in
                _ = try store(enclave: false).makeSigningKey(named: "b", protection: protection, fallback: .refuse)
            } == .noEnclave
        )
        for level in [Protection.Accessibility.whenUnlocked, .afterFirstUnlock, .alwaysThisDeviceOnly] {
            #expect(
                reason { () throws(DeviceKeyError) in
                    _ = try store().makeSigningKey(named: "c", protection: .accessible(level), fallback: .software)
                } == .notThisDeviceOnly
            )
        }
        try device.reboot()
        #expect(
            reason { () throws(DeviceKeyError) in
                _ = try store().makeSigningKey(named: "d", protection: protection, fallback: .software)
            } == .locked,
            "that the device is locked is no reason for a software key"
        )
        #expect(reason { () throws(DeviceKeyError) in _ = try store().signingKey(named: "device") } == .locked)
        try device.unlock()
        #expect(
            try store().signingKey(named: "device")?.publicKey.rawRepresentation == made.publicKey.rawRepresentation
        )
    }

    @Test("of another device are an error, and a new one is enrolled in their place on demand") func restored() throws {
        let lost = try store().makeSigningKey(named: "device", protection: protection, fallback: .software)
        let sealed = try #require(try keychain.data(for: record))
        let other = try VirtualDevice().install(#require(App.current).entitlements)
        try other.run {
            // What a copy of the whole keychain would bring.
            try keychain.set(sealed, for: record, protection: protection)
            let error = try #require(throws: DeviceKeyError.self) { try store().signingKey(named: "device") }
            #expect(error.reason == .noLongerOpens)
            #expect(error.publicKey == lost.publicKey.x963Representation)
            let wrong = P256.Signing.PrivateKey().publicKey.x963Representation
            #expect(
                reason { () throws(DeviceKeyError) in
                    _ = try store().replaceSigningKey(
                        named: "device",
                        lost: wrong,
                        protection: protection,
                        fallback: .refuse
                    )
                } == .replacedMeanwhile
            )
            let new = try store().replaceSigningKey(
                named: "device",
                lost: #require(error.publicKey),
                protection: protection,
                fallback: .refuse
            )
            let found = try #require(try store().signingKey(named: "device"))
            #expect(found.publicKey.x963Representation == new.publicKey.x963Representation)
            #expect(new.publicKey.isValidSignature(try found.signature(for: data), for: data))
        }
    }

    @Test(
        "a failure while a key is replaced leaves the old record or the new one",
        arguments: 0..<3,
        Faults.Moment.allCases
    )
    func replaceFaults(call: Int, moment: Faults.Moment) throws {
        let lost = try store().makeSigningKey(named: "device", protection: protection, fallback: .software)
        try device.faults.fail(with: errSecIO, moment, on: [.copyMatching, .update], skipping: call)
        #expect(
            reason { () throws(DeviceKeyError) in
                _ = try store().replaceSigningKey(
                    named: "device",
                    lost: lost.publicKey.x963Representation,
                    protection: protection,
                    fallback: .software
                )
            } == .failed
        )
        let found = try #require(try store().signingKey(named: "device"))
        let isOld = found.publicKey.x963Representation == lost.publicKey.x963Representation
        #expect(isOld == (call == 0 || call == 1 && moment == .beforeEffect))
    }

    @Test("under a guard ask for each use, and say what the owner did", arguments: [true, false])
    func guarded(enclave: Bool) throws {
        let device = try device
        let guarded = Protection.guarded(.userPresence, accessible: .whenUnlockedThisDeviceOnly)
        let made = try store(enclave: enclave).makeSigningKey(named: "device", protection: guarded, fallback: .software)
        func use() throws(DeviceKeyError) {
            let found = try store(enclave: enclave).signingKey(named: "device", authentication: .allowed)
            _ = try found?.signature(for: data)
        }
        #expect(reason(use) == nil)
        #expect(device.owner.questions.count == 1)
        device.owner.answer = .cancels
        #expect(reason(use) == .cancelled)
        device.owner.answer = .succeeds
        try device.lock()
        #expect(reason(use) == .locked)
        try device.unlock()
        _ = made
        if enclave {
            device.owner.answer = .fails
            #expect(reason(use) == .authenticationFailed)
        }
    }

    @Test("are read without a prompt unless one is allowed") func readWithoutPrompt() throws {
        let device = try device
        let guarded = Protection.guarded(.userPresence, accessible: .whenUnlockedThisDeviceOnly)
        let store = self.store(enclave: false)
        _ = try store.makeSigningKey(named: "signing", protection: guarded, fallback: .software)
        _ = try store.makeAgreementKey(named: "agreement", protection: guarded, fallback: .software)
        #expect(reason { () throws(DeviceKeyError) in _ = try store.signingKey(named: "signing") } == .locked)
        #expect(reason { () throws(DeviceKeyError) in _ = try store.agreementKey(named: "agreement") } == .locked)
        #expect(device.owner.questions.isEmpty)
        #expect(try store.signingKey(named: "signing", context: LAContext()) != nil)
        #expect(try store.agreementKey(named: "agreement", authentication: .allowed("to pair")) != nil)
        #expect(device.owner.questions.count == 2)
        #expect(device.owner.questions.last?.reason == "to pair")
        let both = Authentication.forbidden
        #expect(
            reason { () throws(DeviceKeyError) in
                _ = try store.signingKey(named: "signing", context: LAContext(), authentication: both)
            } == .locked
        )
        #expect(device.owner.questions.count == 2)
    }

    @Test("what is no record is malformed, and not absent") func malformed() throws {
        for text in ["", "no record", #"{"version":2}"#] {
            try keychain.set(text, for: record, protection: protection)
            #expect(reason { () throws(DeviceKeyError) in _ = try store().signingKey(named: "device") } == .malformed)
        }
    }
}
