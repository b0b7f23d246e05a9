// SPDX-License-Identifier: Apache-2.0

import Foundation
import Keychain
import KeychainRecipes
import KeychainTesting
import Security
import Testing

@Suite("Moving a secret into the keychain", .keychain) struct SecretMigrationTests {
    private let place: TemporaryPlace
    private let file: FileSecret
    private let item = GenericPassword(service: "com.example.app", account: "token")
    private let keychain = SystemKeychain()
    private var device: VirtualDevice { get throws { try #require(App.current).device } }

    init() throws {
        place = try TemporaryPlace()
        file = FileSecret(try place.file("token", .secret))
    }

    private func migration(
        _ policy: SecretMigration.ConflictPolicy = .stop,
        from source: (any SecretSource)? = nil
    ) -> SecretMigration {
        SecretMigration(
            from: source ?? file,
            to: item,
            protection: .accessible(.whenUnlocked),
            in: keychain,
            onConflict: policy
        )
    }

    @Test("moves it; a further run has nothing to do") func migrates() throws {
        #expect(try migration().run() == .migrated)
        #expect(try keychain.data(for: item) == .secret)
        #expect(try keychain.attributes(of: item)?.protection == .accessible(.whenUnlocked))
        #expect(place.names.isEmpty)
        #expect(try migration().run() == .alreadyMigrated)
        try keychain.delete(item)
        #expect(try migration().run() == .nothingToMigrate)
    }

    @Test(
        "finishes a run that was interrupted, whatever the policy",
        arguments: SecretMigration.ConflictPolicy.allCases
    )
    func finishes(policy: SecretMigration.ConflictPolicy) throws {
        try keychain.set(Data.secret, for: item, protection: .accessible(.whenUnlocked))
        #expect(try migration(policy).run() == .finishedEarlierRun)
        #expect(try keychain.data(for: item) == .secret)
        #expect(place.names.isEmpty)
    }

    @Test("refuses while the device is locked, whether the item exists or not", arguments: [false, true])
    func locked(isThere: Bool) throws {
        if isThere { try keychain.set(Data.other, for: item, protection: .accessible(.whenUnlocked)) }
        try device.lock()
        for policy in SecretMigration.ConflictPolicy.allCases {
            let error = try #require(throws: MigrationError.self) { try migration(policy).run() }
            #expect(error.reason == .locked)
            #expect(error.step == (isThere ? .look : .store))
            #expect(try file.read() == .secret)
        }
        try device.unlock()
        #expect(try keychain.data(for: item) == (isThere ? .other : nil))
    }

    @Test(
        "does what the policy says about another secret in the keychain",
        arguments: SecretMigration.ConflictPolicy.allCases
    )
    func conflict(policy: SecretMigration.ConflictPolicy) throws {
        try keychain.set(Data.other, for: item, protection: .accessible(.whenUnlocked))
        switch policy {
        case .stop:
            let error = try #require(throws: MigrationError.self) { try migration(policy).run() }
            #expect(error.reason == .conflict)
            #expect(try file.read() == .secret)
            #expect(try keychain.data(for: item) == .other)
            #expect(!"\(error)".contains("s3cret") && !"\(error)".contains("0ther"))
        case .keepKeychain:
            #expect(try migration(policy).run() == .keptKeychain)
            #expect(try keychain.data(for: item) == .other)
            #expect(try file.read() == nil)
        case .replaceKeychain:
            #expect(try migration(policy).run() == .replacedKeychain)
            #expect(try keychain.data(for: item) == .secret)
            #expect(try file.read() == nil)
        }
    }

    @Test("detects a secret that was stored between the check and the add") func race() async throws {
        let migration = migration()
        let outcome = try await device.faults.hold(on: [.add]).outcome {
            try migration.run()
        } while: {
            try keychain.set(Data.other, for: item, protection: .accessible(.whenUnlocked))
        }
        let error = try #require(throws: MigrationError.self) { try outcome.get() }
        #expect(error.reason == .conflict)
        #expect(try file.read() == .secret)
    }

    @Test("keeps the old copy when what is read back differs") func notVerified() async throws {
        let migration = migration()
        let outcome = try await device.faults.hold(on: [.copyMatching], skipping: 1).outcome {
            try migration.run()
        } while: {
            try keychain.set(Data.other, for: item, protection: .accessible(.whenUnlocked))
        }
        let error = try #require(throws: MigrationError.self) { try outcome.get() }
        #expect(error.step == .verify && error.reason == .notVerified)
        #expect(try file.read() == .secret)
    }

    @Test(
        "loses nothing when the keychain fails at any call, before or after its effect; the next run finishes",
        arguments: 0..<3,
        Faults.Moment.allCases
    )
    func keychainFaults(call: Int, moment: Faults.Moment) throws {
        let device = try device
        let fault = device.faults.fail(with: errSecIO, moment, skipping: call)
        let result = Result { try migration().run() }
        #expect(fault.count == 1)
        #expect(try file.read() == .secret || keychain.data(for: item) == .secret)
        // The first call finds nothing: there is no effect after which it could fail.
        if device.calls.contains(where: \.isInjected) {
            #expect(throws: MigrationError.self) { try result.get() }
        } else {
            #expect(call == 0 && moment == .afterEffect)
        }
        _ = try migration().run()
        #expect(try keychain.data(for: item) == .secret)
        #expect(try file.read() == nil)
    }

    @Test("says where the source failed, and loses nothing", arguments: ["read", "remove", "removeAfter"])
    func sourceFaults(fault: String) throws {
        let error = try #require(throws: MigrationError.self) {
            try migration(from: FaultySource(source: file, fault: fault)).run()
        }
        #expect(error.reason == .source)
        #expect(error.step == (fault == "read" ? .readSource : .remove))
        #expect(error.cause is SecretSourceError)
        #expect(try file.read() == .secret || keychain.data(for: item) == .secret)
        _ = try migration().run()
        #expect(try keychain.data(for: item) == .secret)
        #expect(try file.read() == nil)
    }

    @Test("a source that says it removed and did not is found out") func notRemoved() throws {
        let error = try #require(throws: MigrationError.self) {
            try migration(from: FaultySource(source: file, fault: "pretend")).run()
        }
        #expect(error.step == .remove)
    }

    @Test(
        "keeps both when either cannot be read, whatever the policy",
        arguments: SecretMigration.ConflictPolicy.allCases
    )
    func unreadable(policy: SecretMigration.ConflictPolicy) throws {
        let device = try device
        try keychain.set(Data.other, for: item, protection: .accessible(.whenUnlocked))
        let source = FaultySource(source: file, fault: "read")
        let error = try #require(throws: MigrationError.self) { try migration(policy, from: source).run() }
        #expect(error.step == .readSource && error.reason == .source)
        #expect(try keychain.data(for: item) == .other)

        try device.setStorageCondition(.everyItemDamaged)
        let other = try #require(throws: MigrationError.self) { try migration(policy).run() }
        #expect(other.step == .look && other.reason == .keychain)
        #expect(try file.read() == .secret)
        try device.setStorageCondition(.healthy)
        #expect(try keychain.data(for: item) == .other)
    }

    private let guarded = Protection.guarded(.userPresence, accessible: .whenUnlockedThisDeviceOnly)

    @Test("prompts nobody by itself: what requires authentication is refused before anything changes")
    func promptsNobody() throws {
        let device = try device
        let migration = SecretMigration(from: file, to: item, protection: guarded, in: keychain)
        let error = try #require(throws: MigrationError.self) { try migration.run() }
        #expect(error.step == .look && error.reason == .authenticationRequired)
        #expect(try file.read() == .secret)
        #expect(try !keychain.contains(item))

        // Nor for one that is there and is to require none any more.
        try keychain.set(Data.secret, for: item, protection: guarded)
        let other = try #require(throws: MigrationError.self) { try self.migration(.keepKeychain).run() }
        #expect(other.step == .look && other.reason == .authenticationRequired)
        #expect(try file.read() == .secret)
        #expect(device.owner.questions.isEmpty)
    }

    @Test("at the starts after a migration nobody is prompted, whatever is allowed") func laterStarts() throws {
        let device = try device
        let migration = SecretMigration(from: file, to: item, protection: guarded, in: keychain)
        #expect(try migration.run(authentication: .allowed) == .migrated)
        #expect(device.owner.questions.count == 1)
        for authentication in [Authentication.forbidden, .allowed] {
            #expect(try migration.run(authentication: authentication) == .alreadyMigrated)
        }
        #expect(device.owner.questions.count == 1)
    }

    @Test("prompts for an item that requires authentication, where that is allowed") func prompts() throws {
        let device = try device
        let migration = SecretMigration(from: file, to: item, protection: guarded, in: keychain)
        device.owner.answer = .cancels
        let error = try #require(throws: MigrationError.self) { try migration.run(authentication: .allowed("move")) }
        #expect(error.step == .verify)
        #expect(try file.read() == .secret)
        device.owner.answer = .succeeds
        #expect(try migration.run(authentication: .allowed("move")) == .finishedEarlierRun)
        #expect(try file.read() == nil)
    }

    @Test("takes a secret from user defaults and from a property list, too") func otherSources() throws {
        let list = PropertyListSecret(try place.list(["token": "s3cret", "flag": true], .xml), key: "token")
        #expect(try migration(from: list).run() == .migrated)
        #expect(try list.read() == nil)
        #expect(place.names == ["list.plist", "token"])
        let suite = "recipes-\(UUID())"
        defer { UserDefaults().removePersistentDomain(forName: suite) }
        try #require(UserDefaults(suiteName: suite)).set("s3cret", forKey: "token")
        let defaults = UserDefaultsSecret(key: "token", suite: suite)
        #expect(try migration(from: defaults).run() == .finishedEarlierRun)
        #expect(try defaults.read() == nil)
    }
}
