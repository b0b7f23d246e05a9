// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainRecipes
import Testing

@Suite("A secret in user defaults") struct UserDefaultsSecretTests {
    private let suite = "recipes-\(UUID())"

    private func defaults() throws -> UserDefaults { try #require(UserDefaults(suiteName: suite)) }
    private func clean() { UserDefaults().removePersistentDomain(forName: suite) }

    @Test("is read and removed; the rest stays") func remove() throws {
        defer { clean() }
        try defaults().set("s3cret", forKey: "token")
        try defaults().set(true, forKey: "flag")
        let secret = UserDefaultsSecret(key: "token", suite: suite)
        #expect(try secret.read() == .secret)
        try secret.remove(.secret)
        #expect(try secret.read() == nil)
        #expect(try defaults().bool(forKey: "flag"))
        try secret.remove(.secret)
    }

    @Test("may be bytes; anything else is malformed") func kinds() throws {
        defer { clean() }
        let secret = UserDefaultsSecret(key: "token", suite: suite)
        #expect(try secret.read() == nil)
        try defaults().set(Data.secret, forKey: "token")
        #expect(try secret.read() == .secret)
        try defaults().set(7, forKey: "token")
        #expect(try #require(throws: SecretSourceError.self) { try secret.read() }.reason == .malformed)
    }

    @Test("that changed is not removed") func changed() throws {
        defer { clean() }
        try defaults().set("0ther", forKey: "token")
        let secret = UserDefaultsSecret(key: "token", suite: suite)
        #expect(try #require(throws: SecretSourceError.self) { try secret.remove(.secret) }.reason == .changed)
        #expect(try secret.read() == .other)
    }
}
