// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainTesting
import Security
import Testing

@Suite("A generic store of Codable values", .fieldApp)
struct CodableKeychainTests {
    struct Credentials: Codable, Equatable {
        var user: String
        var token: Data
        var expiry: Date
        var scopes: [String]
    }

    private let credentials = Credentials(
        user: "anna",
        token: Data((0...255).map { UInt8($0) }),
        expiry: Date(timeIntervalSinceReferenceDate: 800_000_000),
        scopes: ["read", "write"]
    )

    @Test("a value comes back equal, and can be replaced and removed")
    func roundTrip() throws {
        try withScratchService("codable.roundtrip") { service in
            let keychain = CodableKeychain(service: service)
            #expect(try keychain.load(Credentials.self, for: "main") == nil)
            try keychain.save(credentials, for: "main")
            #expect(try keychain.load(for: "main") == credentials)

            var changed = credentials
            changed.scopes = []
            try keychain.save(changed, for: "main")
            #expect(try keychain.load(for: "main") == changed)

            try keychain.remove("main")
            try keychain.remove("main")
            #expect(try keychain.load(Credentials.self, for: "main") == nil)
        }
    }

    @Test("bytes that are not the type asked for are a decoding error, not a missing item")
    func wrongType() throws {
        try withScratchService("codable.wrongtype") { service in
            let keychain = CodableKeychain(service: service)
            try keychain.save(["a": 1], for: "main")
            #expect(throws: DecodingError.self) { try keychain.load(Credentials.self, for: "main") }
        }
    }

    @Test("a synchronizable and a local value of one key live side by side")
    func synchronizable() throws {
        try withScratchService("codable.sync") { service in
            let local = CodableKeychain(service: service)
            let synced = CodableKeychain(service: service, synchronizable: true)
            try local.save("local", for: "main")
            try synced.save("synced", for: "main")
            #expect(try local.load(String.self, for: "main") == "local")
            #expect(try synced.load(String.self, for: "main") == "synced")
            try synced.remove("main")
            #expect(try local.load(String.self, for: "main") == "local")
            #expect(try synced.load(String.self, for: "main") == nil)
        }
    }

    @Test("values are listed by type")
    func listing() throws {
        try withScratchService("codable.list") { service in
            let keychain = CodableKeychain(service: service)
            #expect(try keychain.loadAll(Int.self).isEmpty)
            try keychain.save(1, for: "one")
            try keychain.save(2, for: "two")
            try keychain.save("three", for: "three")
            #expect(try keychain.loadAll(Int.self) == ["one": 1, "two": 2])
            #expect(try keychain.loadAll(String.self) == ["three": "three"])
        }
    }

    @Test("a store crosses tasks and actors")
    func concurrency() async throws {
        try await withScratchService("codable.tasks") { service in
            let keychain = CodableKeychain(service: service)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<8 {
                    group.addTask { try keychain.save(number, for: "key \(number)") }
                }
                try await group.waitForAll()
            }
            #expect(try keychain.loadAll(Int.self).count == 8)

            let cache = KeychainCache(service: service)
            try await cache.setToken(Data([1, 2, 3]), for: "cached")
            #expect(try await cache.token("cached") == Data([1, 2, 3]))
            #expect(try await KeychainCache(service: service).token("cached") == Data([1, 2, 3]))
            #expect(try await cache.token("missing") == nil)

            // A detached task knows nothing of the test that started it.
            let app = try #require(App.current)
            let found = await Task.detached {
                app.run {
                    var result: CFTypeRef?
                    return SecItemCopyMatching(
                        [
                            kSecClass: kSecClassGenericPassword, kSecAttrService: service, kSecAttrAccount: "cached",
                            kSecReturnData: true,
                        ] as CFDictionary,
                        &result
                    )
                }
            }.value
            #expect(found == errSecSuccess)
        }
    }
}
