// SPDX-License-Identifier: Apache-2.0

import CryptoKit
import Foundation
import Keychain
import KeychainRecipes
import KeychainTesting
import Security
import Testing

@Suite("Device keys that fail, or seem lost", .keychain) struct DeviceKeyLossTests {
    private let keychain = SystemKeychain()
    private let protection = Protection.accessible(.afterFirstUnlockThisDeviceOnly)
    private var device: VirtualDevice { get throws { try #require(App.current).device } }

    @Test(
        "are not given up for a failure that passes",
        arguments: [StorageCondition.unreadable, .rootKeyMissing, .rootKeyDamaged]
    )
    func passingFailure(condition: StorageCondition) throws {
        let device = try VirtualDevice(storage: .file)
        let app = try device.install(#require(App.current).entitlements)
        try app.run {
            // The record elsewhere, so that only the key itself fails.
            let store = DeviceKeyStore(service: "keys", in: InMemoryKeychain())
            _ = try store.makeSigningKey(named: "device", protection: protection, fallback: .refuse)
            try device.setStorageCondition(condition)
            let error = try #require(throws: DeviceKeyError.self) { try store.signingKey(named: "device") }
            #expect(error.reason == .failed)
            try device.setStorageCondition(.healthy)
            #expect(try store.signingKey(named: "device") != nil)
        }
    }

    @Test("that are lost are replaced by the code of the guide") func guide() throws {
        let store = DeviceKeyStore(service: "keys", in: keychain)
        let made = try store.makeSigningKey(named: "device", protection: protection, fallback: .refuse)
        let record = GenericPassword(service: "keys", account: "device")
        let sealed = try #require(try keychain.data(for: record))
        let other = try VirtualDevice().install(#require(App.current).entitlements)
        try other.run {
            try keychain.set(sealed, for: record, protection: protection)
            let key: (any DeviceSigningKey)?
            do throws(DeviceKeyError) {
                key = try store.signingKey(named: "device")
            } catch {
                guard error.reason == .noLongerOpens else { throw error }
                key = try store.replaceSigningKey(
                    named: "device",
                    lost: error.publicKey ?? Data(),
                    protection: protection,
                    fallback: .refuse
                )
            }
            #expect(key != nil && key?.publicKey.rawRepresentation != made.publicKey.rawRepresentation)
        }
    }

    @Test("of software can be read back when they were asked for with the flag of a key's use")
    func softwareKeyUsage() throws {
        let store = DeviceKeyStore(service: "keys", in: keychain, isEnclaveAvailable: { false })
        let device = try device
        let constraints: [SecAccessControlCreateFlags] = [[.privateKeyUsage, .userPresence], .privateKeyUsage]
        for (index, constraints) in constraints.enumerated() {
            let guarded = Protection.guarded(constraints, accessible: .whenUnlockedThisDeviceOnly)
            let made = try store.makeSigningKey(named: "\(index)", protection: guarded, fallback: .software)
            let found = try store.signingKey(named: "\(index)", authentication: .allowed)
            #expect(found?.publicKey.rawRepresentation == made.publicKey.rawRepresentation)
        }
        #expect(device.owner.questions.count == 1)
    }

    @Test("are not handed out when another one took their place meanwhile") func replacedMeanwhile() async throws {
        let (store, protection) = (DeviceKeyStore(service: "keys", in: keychain), protection)
        let lost = try await store.makeSigningKey(named: "device", protection: protection, fallback: .software)
        _ = try await store.makeSigningKey(named: "other", protection: protection, fallback: .software)
        let other = try #require(try await keychain.data(for: GenericPassword(service: "keys", account: "other")))
        // The second read is the one after the update.
        let outcome = try await device.faults.hold(on: [.copyMatching], skipping: 1).outcome {
            try store.replaceSigningKey(
                named: "device",
                lost: lost.publicKey.x963Representation,
                protection: protection,
                fallback: .refuse
            )
        } while: {
            try keychain.update(GenericPassword(service: "keys", account: "device"), with: ItemUpdate(data: other))
        }
        let error = try #require(throws: DeviceKeyError.self) { try outcome.get() }
        #expect(error.reason == .replacedMeanwhile)
    }
}
