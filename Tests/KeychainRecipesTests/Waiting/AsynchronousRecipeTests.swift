// SPDX-License-Identifier: Apache-2.0

import Foundation
import Keychain
import KeychainRecipes
import KeychainTesting
import Security
import Synchronization
import Testing

@Suite("Recipes in asynchronous code wait on threads of their own", .keychain)
struct AsynchronousRecipeTests {
    private let keychain = SystemKeychain()
    private let item = GenericPassword(service: "com.example.app", account: "token")
    private let plain = Protection.accessible(.afterFirstUnlockThisDeviceOnly)
    private let guarded = Protection.guarded(.userPresence, accessible: .whenUnlockedThisDeviceOnly)

    /// A mark that dies with the test.
    private final class Mark: InstallationMarkStore {
        private let mark = Mutex<String?>(nil)

        func readMark() throws(InstallationMarkError) -> String? { mark.withLock(\.self) }

        func writeMark(_ mark: String) -> Bool {
            self.mark.withLock { $0 = mark }
            return true
        }
    }

    @Test("a fresh install is detected, marked and cleaned up after") func installation() async throws {
        let old = InstallationDetector(service: "mark", in: keychain, marks: Mark())
        #expect(try await old.detect() == .fresh)
        try await old.mark()
        #expect(try await old.detect() == .known)
        try await keychain.add("left", for: item, protection: plain)
        let new = InstallationDetector(service: "mark", in: keychain, marks: Mark())
        #expect(try await new.detect() == .reinstalled)
        #expect(try await new.deleteLeftovers(matching: .all(ofService: "com.example.app")))
        #expect(try await keychain.string(for: item) == nil)
        await #expect(throws: InstallationError.self) {
            try await old.deleteLeftovers(matching: .all(ofService: "com.example.app"))
        }
    }

    @Test("items are given another protection, one by one and by a selection") func protection() async throws {
        try await keychain.add("token", for: item, protection: .accessible(.whenUnlocked))
        let migration = ProtectionMigration(to: plain, in: keychain)
        let first = try await migration.run([item])
        #expect(first.items { if case .changed = $0 { true } else { false } }.count == 1)
        let second = try await migration.run(matching: .all(ofService: "com.example.app"))
        #expect(second.items { if case .alreadyProtected = $0 { true } else { false } }.count == 1)
    }

    @Test("items are where they are to move to") func group() async throws {
        try await keychain.add("token", for: item, protection: plain)
        let group = try #require(App.current?.entitlements.accessGroups.first)
        let report = try await AccessGroupMove(from: group, to: group, in: keychain).run([item])
        #expect(report.items { if case .alreadyMoved = $0 { true } else { false } }.count == 1)
        await #expect(throws: AccessGroupMoveError.self) {
            try await AccessGroupMove(from: group, to: "OTHERTEAM1.group", in: keychain).run([item])
        }
    }

    @Test("a key is deleted") func deletion() async throws {
        let store = DeviceKeyStore(service: "keys", in: keychain)
        _ = try await store.makeSigningKey(named: "device", protection: plain, fallback: .refuse)
        #expect(try await store.deleteKey(named: "device"))
        #expect(try await !store.deleteKey(named: "device"))
    }

    @Test("while the owner is asked for many migrations, other tasks go on") func manyWait() async throws {
        let owner = try #require(App.current).device.owner
        let count = ProcessInfo.processInfo.activeProcessorCount * 2
        owner.answer = .waits
        // Each asks when it reads back what it stored; none would if those that wait held the threads of the pool.
        async let answers: Void = { for _ in 0..<count { try await owner.nextOpenQuestion().answer(.succeeds) } }()
        try await withThrowingTaskGroup(of: SecretMigration.Outcome.self) { group in
            for number in 0..<count {
                let migration = SecretMigration(
                    from: Source(),
                    to: GenericPassword(service: "com.example.app", account: "\(number)"),
                    protection: guarded,
                    in: keychain
                )
                group.addTask { try await migration.run(authentication: .allowed) }
            }
            for try await outcome in group { #expect(outcome == .migrated) }
        }
        try await answers
    }

    /// A secret in memory.
    private final class Source: SecretSource {
        private let secret = Mutex<Data?>(Data("secret".utf8))

        var name: String { "memory" }

        func read() throws(SecretSourceError) -> Data? { secret.withLock(\.self) }

        func remove(_ expected: Data) throws(SecretSourceError) { secret.withLock { $0 = nil } }
    }
}
