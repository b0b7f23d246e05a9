// SPDX-License-Identifier: Apache-2.0

import Foundation
import Keychain
import KeychainTesting
import Security
import Testing

/// The samples of the README, of the documentation of Security, and of session-kit.
@Suite("The samples of the README and the first pages")
struct ReadmeSamples {
    private let auth = AuthManager()
    private let server = Server()
    private let session = "t0ken"

    @Test(.keychain) func aLockedPhoneSignsNobodyOut() async throws {
        let session = Session()
        try session.signIn(token: "t0ken")
        let device = try #require(App.current).device
        try device.lock()
        await session.refreshInBackground()
        try device.unlock()
        #expect(session.isSignedIn)
    }

    @Test(.keychain) func itemFunctions() {
        var query: [String: Any] = [
            kSecClass as String: kSecClassGenericPassword,
            kSecAttrService as String: "com.example.tool",
            kSecAttrAccount as String: "ada",
        ]
        query[kSecValueData as String] = Data("s3cret".utf8)
        let status = SecItemAdd(query as CFDictionary, nil)
        query[kSecValueData as String] = nil
        query[kSecReturnData as String] = true
        var result: CFTypeRef?
        SecItemCopyMatching(query as CFDictionary, &result)
        #expect(status == errSecSuccess)
        #expect(result as? Data == Data("s3cret".utf8))
    }

    @Test(.keychain) func typedAPIOfItsPage() throws {
        let keychain = SystemKeychain()
        let token = GenericPassword(service: "com.example.login", account: "ada")

        try keychain.set("secret", for: token, protection: .accessible(.afterFirstUnlock))
        if let secret = try keychain.string(for: token) {
            print(secret.count)
        }
        try keychain.delete(token)
        #expect(try keychain.string(for: token) == nil)
    }

    @Test(.keychain) func misuse() {
        func save(_ token: Data) {
            let item: [String: Any] = [
                kSecClass as String: kSecClassGenericPassword,
                kSecAttrService as String: "com.example", kSecAttrAccount as String: "token",
                kSecValueData as String: token,
            ]
            SecItemDelete(item as CFDictionary)
            SecItemAdd(item as CFDictionary, nil)
        }
        save(Data("one".utf8))
        #expect(App.current?.device.calls.map(\.status) == [errSecItemNotFound, errSecSuccess])
    }

    @Test(.keychain) func statuses() {
        let attributes: [CFString: Any] = [
            kSecClass: kSecClassGenericPassword,
            kSecAttrService: "com.example.tool",
            kSecAttrAccount: "ada",
            kSecValueData: Data("s3cret".utf8),
        ]
        switch SecItemAdd(attributes as CFDictionary, nil) {
        case errSecSuccess: break
        case errSecDuplicateItem: break
        case let status: print(SecCopyErrorMessageString(status, nil) ?? "")
        }
        #expect(SecItemAdd(attributes as CFDictionary, nil) == errSecDuplicateItem)
    }

    @Test(.keychain) func refresh() async throws {
        let device = try #require(App.current).device
        try await auth.signIn(session)
        try device.lock()
        _ = try await BackgroundTokenRefresh(auth: auth, server: server).run()
        try device.unlock()
        #expect(try await auth.session() != nil)
    }
}

/// Code as an app has it, which takes "locked" for nothing else.
private final class Session: Sendable {
    private let item = GenericPassword(service: "com.example.session", account: "token")

    func signIn(token: String) throws {
        try SystemKeychain().set(token, for: item, protection: .accessible(.whenUnlocked))
    }

    func refreshInBackground() async { _ = try? await SystemKeychain().value(String.self, for: item) }

    var isSignedIn: Bool { (try? SystemKeychain().contains(item)) ?? false }
}

private actor AuthManager {
    private let item = GenericPassword(service: "com.example.session", account: "token")

    func signIn(_ session: String) async throws {
        try await SystemKeychain().set(session, for: item, protection: .accessible(.whenUnlocked))
    }

    func session() async throws -> String? { try await SystemKeychain().value(String.self, for: item) }
}

private struct Server {}

private struct BackgroundTokenRefresh {
    let auth: AuthManager
    let server: Server

    /// Says whether there was a session to refresh.
    func run() async throws -> Bool { await (try? auth.session()) != nil }
}
