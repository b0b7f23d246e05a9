// SPDX-License-Identifier: Apache-2.0

import CryptoKit
import Foundation
import Keychain
import KeychainTesting
import LocalAuthentication
import Security
import Testing

struct Login: Codable, KeychainStorable {
    var user: String
    var token: String
}

private struct Settings: Codable, KeychainStorable {
    var isDark = true
}

private enum LoginState {
    case loggedOut
    case loggedIn(String)
    case tryAgainAfterUnlock
}

/// The samples of StoringSecrets, and of the declarations of the typed API.
@Suite("The samples of the pages about the typed API")
struct TypedPageSamples {
    private let keychain = SystemKeychain()
    private let login = GenericPassword(service: "com.example.login", account: "ada")
    private let vault = GenericPassword(service: "com.example.vault", account: "ada")
    private let item = GenericPassword(service: "com.example.settings", account: "ada")
    private let signing = KeyItem(
        tag: "com.example.signing",
        applicationLabel: Data(),
        keyClass: kSecAttrKeyClassPrivate,
        keyType: kSecAttrKeyTypeECSECPrimeRandom,
        sizeInBits: 256
    )
    private let token = "t0ken"
    private let pin = "1234"

    @Test(.keychain) func storing() throws {
        try keychain.set(token, for: login, protection: .accessible(.afterFirstUnlock))
        try keychain.set(
            pin,
            for: vault,
            protection: .guarded(.biometryCurrentSet, accessible: .whenPasscodeSetThisDeviceOnly)
        )
        #expect(App.current?.device.calls.map(\.status) == [errSecSuccess, errSecSuccess])
    }

    @Test(.keychain) func reading() throws {
        let text = try keychain.string(for: login)
        let settings = try keychain.value(Settings.self, for: item)
        let key = try keychain.privateKey(P256.Signing.PrivateKey.self, for: signing)
        #expect(text == nil && settings == nil && key == nil)
    }

    @Test(.keychain) func prompting() throws {
        let pin = try keychain.string(for: vault, authentication: .allowed("Open the vault"))
        #expect(pin == nil)
    }

    @Test(.keychain) func waiting() async throws {
        let pin = try await keychain.string(for: vault, authentication: .allowed("Open the vault"))
        #expect(pin == nil)
    }

    @Test(.keychain) func blocking() async throws {
        let text = try keychain.blocking { keychain in try keychain.string(for: login) }
        #expect(text == nil)
    }

    @Test(.keychain) func errors() throws {
        func state() throws -> LoginState {
            do {
                guard let token = try keychain.string(for: login) else { return .loggedOut }
                return .loggedIn(token)
            } catch {
                guard error.isLocked else { throw error }
                return .tryAgainAfterUnlock
            }
        }
        try keychain.set(token, for: login, protection: .accessible(.whenUnlocked))
        try #require(App.current).device.lock()
        guard case .tryAgainAfterUnlock = try state() else {
            Issue.record("locked")
            return
        }
    }

    @Test(.keychain) func changes() async throws {
        @Sendable func reload() async throws { Issue.record("nothing was changed") }
        let listener = Task {
            for await change in SystemKeychain().changes {
                switch change {
                case .changedElsewhere(.genericPassword, accessGroup: "TEAMID1234.com.example.shared"), .missed:
                    try await reload()
                default: break
                }
            }
        }
        listener.cancel()
        try await listener.value
    }

    @Test(.keychain) func oneService() throws {
        let logins = ServiceKeychain("com.example.login", protection: .accessible(.afterFirstUnlock), in: keychain)
        try logins.set(token, for: "ada")
        let saved = try logins["ada"]
        #expect(saved == token)
    }

    @Test(.keychain) func oneServiceOfItsDeclaration() throws {
        let keychain = SystemKeychain()
        let logins = ServiceKeychain("com.example.login", protection: .accessible(.afterFirstUnlock), in: keychain)
        try logins.set("t0ken", for: "ada")
        let token = try logins["ada"]
        try logins.deleteAll()
        #expect(try token == "t0ken" && logins["ada"] == nil)
    }

    @Test(.keychain) func listing() throws {
        try keychain.set(token, for: login, protection: .accessible(.whenUnlocked))
        let found = try keychain.items(matching: .all(ofService: "com.example.login"))
        let isListed = found.contains { $0.isNamed(by: login) }
        #expect(isListed)
        try keychain.deleteAll(matching: .all(ofService: "com.example.login"))
        #expect(try !keychain.contains(login))
    }

    @Test(.keychain) func listingOfItsDeclaration() throws {
        let token = login
        let items = try keychain.items(matching: .all(ofService: "com.example.login"))
        let isListed = items.contains { $0.isNamed(by: token) }
        #expect(!isListed)
    }
}
