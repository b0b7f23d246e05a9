// SPDX-License-Identifier: Apache-2.0

import CryptoKit
import Foundation
import Keychain
import KeychainRecipes
import KeychainTesting
import Security
import Testing

@Suite("Device keys in asynchronous code", .keychain) struct AsyncDeviceKeyTests {
    private let store = DeviceKeyStore(service: "keys", in: SystemKeychain())
    private let guarded = Protection.guarded(.userPresence, accessible: .whenUnlockedThisDeviceOnly)
    private let data = Data("to sign".utf8)

    @Test("do what those do that block") func lifeCycle() async throws {
        let plain = Protection.accessible(.whenUnlockedThisDeviceOnly)
        #expect(try await store.signingKey(named: "signing") == nil)
        let made = try await store.makeSigningKey(named: "signing", protection: plain, fallback: .refuse)
        let found = try #require(try await store.signingKey(named: "signing"))
        #expect(made.publicKey.isValidSignature(try await found.signature(for: data), for: data))
        let lost = found.publicKey.x963Representation
        let new = try await store.replaceSigningKey(
            named: "signing",
            lost: lost,
            protection: plain,
            fallback: .refuse
        )
        #expect(new.publicKey.x963Representation != lost)

        let peer = P256.KeyAgreement.PrivateKey()
        #expect(try await store.agreementKey(named: "agreement") == nil)
        let agreeing = try await store.makeAgreementKey(named: "agreement", protection: plain, fallback: .refuse)
        let secret = try await agreeing.sharedSecret(with: peer.publicKey)
        #expect(try peer.sharedSecretFromKeyAgreement(with: agreeing.publicKey) == secret)
        let other = try await store.replaceAgreementKey(
            named: "agreement",
            lost: agreeing.publicKey.x963Representation,
            protection: plain,
            fallback: .refuse
        )
        let newer = try #require(try await store.agreementKey(named: "agreement"))
        #expect(newer.publicKey.x963Representation == other.publicKey.x963Representation)
    }

    @Test("say why they fail") func failures() async throws {
        let device = try #require(App.current).device
        let made = try await store.makeSigningKey(named: "device", protection: guarded, fallback: .refuse)
        device.owner.answer = .cancels
        var reasons: [DeviceKeyError.Reason] = []
        do throws(DeviceKeyError) { _ = try await made.signature(for: data) } catch { reasons.append(error.reason) }
        do throws(DeviceKeyError) {
            _ = try await store.makeSigningKey(named: "device", protection: guarded, fallback: .refuse)
        } catch { reasons.append(error.reason) }
        do throws(DeviceKeyError) { _ = try await store.agreementKey(named: "device") } catch {
            reasons.append(error.reason)
        }
        #expect(reasons == [.cancelled, .alreadyExists, .otherPurpose])
    }

    @Test("While the owner is asked for many signatures, other tasks go on") func manyWait() async throws {
        let owner = try #require(App.current).device.owner
        let key = try await store.makeSigningKey(named: "device", protection: guarded, fallback: .refuse)
        let data = data
        owner.answer = .waits
        // The owner is asked one question after the other. None would come if the calls that wait for their turn held
        // the threads of the pool.
        async let answers: Void = { for _ in 0..<40 { try await owner.nextOpenQuestion().answer(.succeeds) } }()
        try await withThrowingTaskGroup { group in
            for _ in 0..<40 {
                group.addTask {
                    let signature = try await key.signature(for: data)
                    #expect(key.publicKey.isValidSignature(signature, for: data))
                }
            }
            try await group.waitForAll()
        }
        try await answers
    }
}
