// SPDX-License-Identifier: Apache-2.0

import Foundation
import Keychain
import KeychainRecipes
import KeychainTesting
import LocalAuthentication
import Security
import Testing

@Suite("Giving items another protection", .keychain) struct ProtectionMigrationTests {
    private let keychain = SystemKeychain()
    private let target = Protection.accessible(.afterFirstUnlockThisDeviceOnly)
    private let items = ["one", "two", "three"].map { GenericPassword(service: "com.example.app", account: $0) }
    private var device: VirtualDevice { get throws { try #require(App.current).device } }

    private func store(_ protections: [Protection]) throws {
        for (item, protection) in zip(items, protections) {
            try keychain.set("secret of \(item.account)", for: item, protection: protection)
        }
    }

    private func outcomes(_ report: ItemReport<ProtectionMigration.Outcome>) -> [String] {
        report.entries.map { "\($0.outcome)".split(separator: "(").first.map(String.init) ?? "" }
    }

    @Test("changes existing items, and reports each; a second run changes nothing") func changes() throws {
        try store([.accessible(.whenUnlocked), target])
        let dates = try keychain.attributes(of: items[0])?.creationDate
        let migration = ProtectionMigration(to: target, in: keychain)
        #expect(outcomes(try migration.run(items)) == ["changed", "alreadyProtected", "absent"])
        #expect(try keychain.attributes(of: items[0])?.protection == target)
        #expect(try keychain.attributes(of: items[0])?.creationDate == dates)
        #expect(try keychain.string(for: items[0]) == "secret of one")
        #expect(outcomes(try migration.run(items)) == ["alreadyProtected", "alreadyProtected", "absent"])
        try device.lock()
        #expect(try keychain.string(for: items[0]) == "secret of one")
    }

    @Test("refuses while an item is locked, names it, and changes none") func locked() throws {
        try store([.accessible(.afterFirstUnlock), .accessible(.whenUnlocked)])
        try device.lock()
        let error = try #require(throws: ItemsLockedError.self) {
            try ProtectionMigration(to: target, in: keychain).run(items)
        }
        #expect(error.items.map(\.description) == [items[1].description])
        #expect(error.description.contains("two") && !error.description.contains("secret"))
        #expect(try keychain.attributes(of: items[0])?.protection == .accessible(.afterFirstUnlock))
        #expect(throws: (any Error).self) {
            try ProtectionMigration(to: target, in: keychain).run(matching: .all(ofService: "com.example.app"))
        }
        try device.unlock()
        #expect(try keychain.attributes(of: items[1])?.protection == .accessible(.whenUnlocked))
    }

    @Test("resumes after an interrupted run", arguments: Faults.Moment.allCases)
    func resumes(moment: Faults.Moment) throws {
        try store([.accessible(.whenUnlocked), .accessible(.whenUnlocked), .accessible(.always)])
        try device.faults.fail(with: errSecIO, moment, on: [.update], skipping: 1)
        let first = try ProtectionMigration(to: target, in: keychain).run(items)
        #expect(outcomes(first) == ["changed", "failed", "changed"])
        for item in items { #expect(try keychain.string(for: item) == "secret of \(item.account)") }
        let report = try ProtectionMigration(to: target, in: keychain).run(matching: .all(ofService: "com.example.app"))
        #expect(report.items { if case .failed = $0 { true } else { false } }.isEmpty)
        for item in items { #expect(try keychain.attributes(of: item)?.protection == target) }
    }

    @Test("a guarded item is left without a prompt, or changed after one") func guarded() throws {
        let guarded = Protection.guarded(.userPresence, accessible: .whenUnlockedThisDeviceOnly)
        try store([.accessible(.whenUnlocked), guarded])
        let device = try device
        #expect(
            outcomes(try ProtectionMigration(to: target, in: keychain).run(items)) == [
                "changed", "leftGuarded", "absent",
            ]
        )
        #expect(device.owner.questions.isEmpty)

        func migration() -> ProtectionMigration {
            ProtectionMigration(to: target, in: keychain, guardedItems: .replaceGuard(.context(LAContext())))
        }
        device.owner.answer = .cancels
        #expect(outcomes(try migration().run(items)) == ["alreadyProtected", "failed", "absent"])
        device.owner.answer = .succeeds
        let before = device.owner.questions.count
        #expect(outcomes(try migration().run(items)) == ["alreadyProtected", "changed", "absent"])
        #expect(device.owner.questions.count == before + 1)
        #expect(try keychain.attributes(of: items[1])?.protection == target)
    }

    @Test("of a selection, guarded items are left unnamed without a prompt, or listed and changed after one")
    func guardedSelection() throws {
        try store([.accessible(.whenUnlocked), .guarded(.userPresence, accessible: .whenUnlockedThisDeviceOnly)])
        let device = try device
        let selection = ItemSelection<GenericPassword>.all(ofService: "com.example.app")
        let report = try ProtectionMigration(to: target, in: keychain).run(matching: selection)
        #expect(outcomes(report) == ["changed"] && !report.isComplete)
        let forbidden = ProtectionMigration(to: target, in: keychain, guardedItems: .replaceGuard(.forbidden))
        let error = try #require(throws: KeychainItemError.self) { try forbidden.run(matching: selection) }
        #expect(error.needsAuthentication)
        #expect(device.owner.questions.isEmpty)

        let allowed = ProtectionMigration(to: target, in: keychain, guardedItems: .replaceGuard(.allowed))
        let changed = try allowed.run(matching: selection)
        #expect(Set(outcomes(changed)) == ["alreadyProtected", "changed"] && changed.isComplete)
        #expect(!device.owner.questions.isEmpty)
        #expect(try keychain.attributes(of: items[1])?.protection == target)
    }

    @Test("a guard that does not keep from reading is left, too") func readableGuard() throws {
        let guarded = Protection.guarded(.userPresence, accessible: .whenUnlocked)
        // A simulator asks nobody.
        let simulator = try VirtualDevice(.simulator).install()
        try simulator.run {
            try store([guarded])
            #expect(outcomes(try ProtectionMigration(to: target, in: keychain).run([items[0]])) == ["leftGuarded"])
            #expect(try keychain.attributes(of: items[0])?.protection == guarded)
            let migration = ProtectionMigration(to: target, in: keychain, guardedItems: .replaceGuard(.forbidden))
            #expect(outcomes(try migration.run([items[0]])) == ["changed"])
        }
        // The attributes of an enclave's key are open; only its use asks.
        let flags: SecAccessControlCreateFlags = [.privateKeyUsage, .userPresence]
        let control = try #require(
            SecAccessControlCreateWithFlags(nil, kSecAttrAccessibleWhenUnlockedThisDeviceOnly, flags, nil)
        )
        let attributes: [String: Any] = [
            kSecAttrKeyType as String: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeySizeInBits as String: 256,
            kSecAttrTokenID as String: kSecAttrTokenIDSecureEnclave,
            kSecPrivateKeyAttrs as String: [
                kSecAttrIsPermanent as String: true, kSecAttrApplicationTag as String: Data("key".utf8),
                kSecAttrAccessControl as String: control,
            ] as [String: Any],
        ]
        _ = try #require(SecKeyCreateRandomKey(NSDictionary(dictionary: attributes) as CFDictionary, nil))
        let report = try ProtectionMigration(to: target, in: keychain).run(matching: .all(withTag: "key"))
        #expect(outcomes(report) == ["leftGuarded"])
    }

    @Test("gives items a guard; then they ask") func newGuard() throws {
        try store([.accessible(.whenUnlocked)])
        let guarded = Protection.guarded(.userPresence, accessible: .whenUnlockedThisDeviceOnly)
        #expect(outcomes(try ProtectionMigration(to: guarded, in: keychain).run([items[0]])) == ["changed"])
        #expect(throws: KeychainItemError.self) { try keychain.string(for: items[0]) }
        #expect(try keychain.string(for: items[0], authentication: .allowed) == "secret of one")
        #expect(try device.owner.questions.count == 1)
    }

    @Test("what the device does not take leaves the item as it was", .keychain(passcode: nil)) func refused() throws {
        try store([.accessible(.whenUnlocked)])
        let migration = ProtectionMigration(to: .accessible(.whenPasscodeSetThisDeviceOnly), in: keychain)
        #expect(outcomes(try migration.run([items[0]])) == ["failed"])
        #expect(try keychain.string(for: items[0]) == "secret of one")
    }
}
