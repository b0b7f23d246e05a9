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
        in other: (any KeychainProtocol)? = nil,
        from source: (any SecretSource)? = nil
    ) -> SecretMigration {
        SecretMigration(
            from: source ?? file,
            to: item,
            protection: .accessible(.whenUnlocked),
            in: other ?? keychain,
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

    @Test("finishes a run that was interrupted") func finishes() throws {
        try keychain.set(Data.secret, for: item, protection: .accessible(.whenUnlocked))
        #expect(try migration().run() == .finishedEarlierRun)
        #expect(place.names.isEmpty)
    }

    @Test("refuses while the device is locked, whether the item is there or not", arguments: [false, true])
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

    @Test("sees a secret that somebody stored between looking and storing") func race() throws {
        let faulty = FaultyKeychain { call in
            if case .before("add") = call {
                try? SystemKeychain().set(
                    Data.other,
                    for: GenericPassword(service: "com.example.app", account: "token"),
                    protection: .accessible(.whenUnlocked)
                )
            }
            return nil
        }
        let error = try #require(throws: MigrationError.self) { try migration(in: faulty).run() }
        #expect(error.reason == .conflict)
        #expect(try file.read() == .secret)
    }

    @Test("keeps the old copy when what is read back differs") func notVerified() throws {
        let lying = FaultyKeychain(answer: { .data(Data("half".utf8)) }, fault: { _ in nil })
        lying.liesAfterAdding = true
        let error = try #require(throws: MigrationError.self) { try migration(in: lying).run() }
        #expect(error.step == .verify && error.reason == .notVerified)
        #expect(try file.read() == .secret)
    }

    @Test("loses nothing when the keychain fails at any call, before or after its effect; the next run finishes")
    func keychainFaults() throws {
        for call in 1...4 {
            for isAfter in [false, true] {
                try FileSecret(file.url).remove(.secret)
                try keychain.delete(item)
                try Data.secret.write(to: file.url)
                let faulty = FaultyKeychain.failing(call: call, after: isAfter)
                let result = Result { try migration(in: faulty).run() }
                #expect(try file.read() == .secret || keychain.data(for: item) == .secret)
                if call <= 3, case .success = result { Issue.record("call \(call) did not fail") }
                _ = try migration().run()
                #expect(try keychain.data(for: item) == .secret)
                #expect(try file.read() == nil)
            }
        }
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

    @Test("asks the owner once for an item that asks") func guarded() throws {
        let device = try device
        let migration = SecretMigration(
            from: file,
            to: item,
            protection: .guarded(.userPresence, accessible: .whenUnlockedThisDeviceOnly),
            in: keychain
        )
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
