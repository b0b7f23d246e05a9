// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import KeychainHost
import KeychainProtection
import KeychainStore
import KeychainTestSupport
import Testing

@testable import KeychainEngine

/// Backups whose secret is an item of the keychain.
struct ScheduledBackupTests {
    private static let secret = SecretBytes(Array("made for the schedule".utf8))

    private let store: TestStore
    private let keychain: EmbeddedKeychain
    private var backup: String { store.folder.path(of: "backup") }

    init() throws {
        store = try TestStore()
        keychain = store.open()
        #expect(keychain.add("anna", "of anna") == .done)
    }

    private func create() throws -> BackupReport {
        try keychain.maintenance.createBackup(BackupRequest(to: .path(backup), secret: .ofSchedule)).report
    }

    @Test("the keychain's own secret opens it, and the one that replaces it opens the next")
    func opens() throws {
        let none = #expect(throws: KeychainError.self) { try create() }
        #expect(none?.status == .itemNotFound && none?.reason.contains("--new-secret") ?? false)
        #expect(!FileManager.default.fileExists(atPath: backup))
        for secret in [SecretBytes([1]), Self.secret] {
            try keychain.maintenance.setBackupSecret(secret)
            try? FileManager.default.removeItem(atPath: backup)
            #expect(try create().items == 1)
            let contents = try BackupInspection(of: backup).contents(secret, atLeast: ScryptFloor(of: .minimum))
            #expect(contents.items.map(\.account) == ["anna"])
        }
        try keychain.maintenance.setBackupSecret(nil)
        try keychain.maintenance.setBackupSecret(nil)
        try FileManager.default.removeItem(atPath: backup)
        #expect(throws: KeychainError.self) { try create() }
    }

    @Test("the secret stays on the device: it is in no backup")
    func staysBehind() throws {
        try keychain.maintenance.setBackupSecret(Self.secret)
        #expect(try create().leftOut == [.afterFirstUnlockThisDeviceOnly: 1])
    }

    @Test("a locked keychain is not backed up, for the lock and not for the secret")
    func locked() throws {
        try keychain.maintenance.setBackupSecret(Self.secret)
        let passcode = SecretBytes(Array("1234".utf8))
        try keychain.device.setPasscode(passcode)
        for keychain in [keychain, store.open()] {
            try keychain.device.lock()
            let failure = #expect(throws: KeychainError.self) {
                try keychain.maintenance.createBackup(BackupRequest(to: .path(backup), secret: .ofSchedule))
            }
            #expect(failure?.status == .interactionNotAllowed)
        }
        #expect(!FileManager.default.fileExists(atPath: backup))
    }

    @Test("with a passcode only a secret counts that was stored since it was set; it outlasts another passcode")
    func passcode() throws {
        let (first, second) = (SecretBytes([1]), SecretBytes([2]))
        try keychain.maintenance.setBackupSecret(Self.secret)
        try keychain.device.setPasscode(first)
        let former = #expect(throws: KeychainError.self) { try create() }
        #expect(former?.status == .itemNotFound && former?.reason.contains("--new-secret") ?? false)
        // What a program can have stored without the passcode, before or after.
        for level in Accessibility.stored where level != .whenPasscodeSetThisDeviceOnly {
            try plant(level)
            #expect(throws: KeychainError.self, "\(level)") { try create() }
        }
        try keychain.maintenance.setBackupSecret(Self.secret)
        #expect(try create().items == 1)
        try keychain.device.changePasscode(from: first, to: second)
        let later = store.open()
        try later.device.unlock(passcode: second)
        try FileManager.default.removeItem(atPath: backup)
        _ = try later.maintenance.createBackup(BackupRequest(to: .path(backup), secret: .ofSchedule))
        #expect(try items(Self.secret) == ["anna"])
        try later.device.removePasscode(second)
        #expect(throws: KeychainError.self) {
            try later.maintenance.createBackup(BackupRequest(to: .path("\(backup)2"), secret: .ofSchedule))
        }
    }

    @Test("a secret that cannot be stored now leaves the former one")
    func lockedStore() throws {
        try keychain.device.setPasscode(SecretBytes([1]))
        try keychain.maintenance.setBackupSecret(Self.secret)
        try keychain.device.lock()
        #expect(throws: KeychainError.self) { try keychain.maintenance.setBackupSecret(SecretBytes([1])) }
        try keychain.device.unlock(passcode: SecretBytes([1]))
        _ = try create()
        #expect(try items(Self.secret) == ["anna"])
    }

    @Test("a secret that is refused while it is stored leaves the former one: both changes are one transaction")
    func oneTransaction() throws {
        try keychain.maintenance.setBackupSecret(Self.secret)
        let tooLarge = SecretBytes([UInt8](repeating: 1, count: ItemLimits.secretByteCount + 1))
        #expect(throws: KeychainError.self) { try keychain.maintenance.setBackupSecret(tooLarge) }
        _ = try create()
        #expect(try items(Self.secret) == ["anna"])
    }

    @Test("an item in its place stays behind as well, however it is protected")
    func plantedStaysBehind() throws {
        try plant(.whenUnlocked)
        let report = try keychain.createBackup(at: backup, secret: Self.secret)
        #expect(report.items == 1 && report.leftOut == [.whenUnlocked: 1])
    }

    @Test("a backup brings no secret along, merged or restored, even if its maker put one in")
    func gift() throws {
        let giver = try TestStore()
        let given = giver.open()
        try plant(.whenUnlocked, in: given)
        #expect(given.add("bert", "of bert") == .done)
        let (gift, secret) = (giver.folder.path(of: "gift"), SecretBytes([9]))
        try write(given, to: gift, secret)
        #expect(try BackupInspection(of: gift).contents(secret, atLeast: ScryptFloor(of: .minimum)).items.count == 2)

        try keychain.maintenance.setBackupSecret(Self.secret)
        let report = try keychain.maintenance.mergeBackup(from: .path(gift), secret: secret, BackupMerge(.keepTheirs))
        #expect(report.isApplied && report.added.count == 1 && report.differing.count == 0)
        #expect(try create().items == 2)
        #expect(try items(Self.secret) == ["anna", "bert"])

        let restored = try TestStore()
        let there = try EmbeddedKeychain.restoreBackup(
            from: gift,
            secret: secret,
            to: KeychainLocation(path: restored.path),
            floor: ScryptFloor(of: .minimum)
        )
        #expect(there.items == 1)
        #expect(throws: KeychainError.self) {
            let request = BackupRequest(to: .path(restored.folder.path(of: "backup")), secret: .ofSchedule)
            return try restored.open().maintenance.createBackup(request)
        }
    }

    /// Puts an item of a program in the place of the secret.
    private func plant(_ accessibility: Accessibility, in keychain: EmbeddedKeychain? = nil) throws {
        let client = Client(accessGroups: [ScheduledBackup.accessGroup])
        let place: PropertyDictionary = [
            "class": .string("genp"), "svce": .string(ScheduledBackup.service),
            "acct": .string(ScheduledBackup.account),
        ]
        var item = place
        item["pdmn"] = .string(accessibility.rawValue)
        item[PropertyKey.valueData] = .data(SecretBytes([9]))
        _ = try? (keychain ?? self.keychain).perform(KeychainRequest(.delete(place), client: client))
        _ = try (keychain ?? self.keychain).perform(KeychainRequest(.add(item), client: client))
    }

    /// Writes a backup with all items, as no keychain does.
    private func write(_ keychain: EmbeddedKeychain, to path: String, _ secret: SecretBytes) throws {
        let target = try FileTarget(path)
        let sealer = try BackupSealer(BackupSecret(secret, .minimum), random: SystemRandomSource())
        try keychain.withEngine(.reading) { (engine) throws(KeychainError) in
            try engine.read { (reader) throws(KeychainError) in
                _ = try engine.store.writeBackup(
                    of: reader,
                    to: target.folder,
                    name: target.name,
                    protections: Set(Accessibility.stored.map(\.rawValue)),
                    staysBehind: { _ in false },
                    destroyedGeneration: nil,
                    NewBackup(sealer, engine.device, files: [])
                )
            }
        }
    }

    private func items(_ secret: SecretBytes) throws -> [String] {
        try BackupInspection(of: backup).contents(secret, atLeast: ScryptFloor(of: .minimum)).items.map(\.account)
    }

    @Test("nothing is written over, and a file that was there stays")
    func taken() throws {
        try keychain.maintenance.setBackupSecret(Self.secret)
        try Data([1]).write(to: URL(fileURLWithPath: backup))
        #expect(throws: KeychainError.self) { try create() }
        #expect(try Data(contentsOf: URL(fileURLWithPath: backup)) == Data([1]))
    }
}
