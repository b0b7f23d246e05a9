// SPDX-License-Identifier: Apache-2.0

import CryptoKit
import Foundation
import Keychain
import KeychainRecipes
import KeychainTesting
import Security
import Testing

/// The samples of KeychainRecipes.
@Suite("The samples of the pages about recipes")
struct RecipesPageSamples {
    private let keychain = SystemKeychain()
    private let token = GenericPassword(service: "com.example.app", account: "token")

    @Test(.keychain) func secrets() throws {
        let keychain = SystemKeychain()
        let token = GenericPassword(service: "com.example.app", account: "token")

        try SecretMigration(
            from: UserDefaultsSecret(key: "token"),
            to: token,
            protection: .accessible(.afterFirstUnlockThisDeviceOnly),
            in: keychain
        ).run()
        #expect(try keychain.string(for: token) == nil)
    }

    @Test(.keychain) func secretsOfTheDeclaration() throws {
        let migration = SecretMigration(
            from: UserDefaultsSecret(key: "token"),
            to: GenericPassword(service: "com.example.app", account: "token"),
            protection: .accessible(.afterFirstUnlockThisDeviceOnly),
            in: SystemKeychain()
        )
        try migration.run()
        #expect(try keychain.string(for: token) == nil)
    }

    @Test(.keychain(entitlements: RecipesPageSamples.entitlements)) func items() throws {
        try keychain.set("t0ken", for: token, protection: .accessible(.whenUnlocked))
        try ProtectionMigration(to: .accessible(.afterFirstUnlock), in: keychain)
            .run(matching: .all(ofService: "com.example.app"))
        try AccessGroupMove(from: "TEAMID.com.example.app", to: "TEAMID.com.example.shared", in: keychain)
            .run([token])
        let shared = GenericPassword(
            service: "com.example.app",
            account: "token",
            accessGroup: "TEAMID.com.example.shared"
        )
        #expect(try keychain.string(for: shared) == "t0ken")
    }

    private static let entitlements = Entitlements(
        team: "TEAMID",
        bundleIdentifier: "com.example.app",
        keychainAccessGroups: ["com.example.app", "com.example.shared"]
    )

    @Test(.keychain) func protectionOfTheDeclaration() throws {
        let tokens = [token]
        try keychain.set("t0ken", for: token, protection: .accessible(.whenUnlocked))
        let migration = ProtectionMigration(to: .accessible(.afterFirstUnlockThisDeviceOnly), in: SystemKeychain())
        let report = try migration.run(tokens)
        #expect(report.entries.count == 1)
    }

    @Test(.keychain) func installations() throws {
        let detector = InstallationDetector(service: "com.example.app.mark", in: keychain)
        switch try detector.detect() {
        case .reinstalled:
            try detector.deleteLeftovers(matching: .all(ofService: "com.example.app"))
            try detector.mark()
        case .fresh, .restored: try detector.mark()
        case .known, .undetermined: break
        }
    }

    @Test(.keychain) func deviceKeys() throws {
        let protection = Protection.accessible(.afterFirstUnlockThisDeviceOnly)
        let store = DeviceKeyStore(service: "com.example.app.keys", in: keychain)
        let key =
            try store.signingKey(named: "device")
            ?? store.makeSigningKey(named: "device", protection: protection, fallback: .software)
        let signature = try key.signature(for: Data("challenge".utf8))
        #expect(!signature.rawRepresentation.isEmpty)
    }

    @Test(.keychain) func lostKey() throws {
        let protection = Protection.accessible(.afterFirstUnlockThisDeviceOnly)
        let store = DeviceKeyStore(service: "com.example.app.keys", in: keychain)
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
        #expect(key == nil)
    }

    @Test func gate() async {
        let gate = ScriptedBiometricGate([.passed])
        let isShown =
            await gate.ask(reason: "Show the balance") == .passed
        #expect(isShown)
    }
}
