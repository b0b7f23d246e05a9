// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import KeychainEngine
import KeychainHost
import KeychainProtection
import KeychainTestSupport
import Testing

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

    @Test("nothing is written over, and a file that was there stays")
    func taken() throws {
        try keychain.maintenance.setBackupSecret(Self.secret)
        try Data([1]).write(to: URL(fileURLWithPath: backup))
        #expect(throws: KeychainError.self) { try create() }
        #expect(try Data(contentsOf: URL(fileURLWithPath: backup)) == Data([1]))
    }
}
