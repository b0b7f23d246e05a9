// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import KeychainEngine
import KeychainHost
import KeychainProtection
import KeychainTestSupport
import Synchronization
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

    @Test("one that is sent counts as memory of its command, and is refused before it is made where there is no room")
    func memory() throws {
        let (reserved, limit) = (Mutex(0), Mutex(Int.max))
        var device = DeviceOptions()
        device.reserveMemory = { byteCount in
            reserved.withLock { reserved in
                reserved += byteCount
                return reserved <= limit.withLock(\.self)
            }
        }
        let folder = try TemporaryFolder()
        let keychain = EmbeddedKeychain(at: KeychainLocation(path: folder.path(of: "k")), device: device)
        for index in 0..<4 {
            #expect(keychain.add("a\(index)", String(repeating: "x", count: 1 << 20)) == .done)
        }
        let request = BackupRequest(to: .reply, secret: .given(Self.secret))
        reserved.withLock { $0 = 0 }
        #expect(try keychain.maintenance.createBackup(request).report.items == 4)
        #expect(reserved.withLock(\.self) >= 4 << 20)
        reserved.withLock { $0 = 0 }
        limit.withLock { $0 = 2 << 20 }
        let refusal = #expect(throws: KeychainError.self) { try keychain.maintenance.createBackup(request) }
        #expect(refusal?.status == .allocate)
        #expect(reserved.withLock(\.self) < 4 << 20)
    }

    @Test("one that is too large to be sent is refused when its rows are, and not made first")
    func tooLarge() throws {
        let reserved = Mutex(0)
        var device = DeviceOptions()
        device.reserveMemory = { byteCount in
            reserved.withLock { $0 += byteCount }
            return true
        }
        let folder = try TemporaryFolder()
        let keychain = EmbeddedKeychain(at: KeychainLocation(path: folder.path(of: "k")), device: device)
        let secret = String(repeating: "x", count: 8 << 20)
        for index in 0..<10 { #expect(keychain.add("a\(index)", secret) == .done) }
        reserved.withLock { $0 = 0 }
        let request = BackupRequest(to: .reply, secret: .given(Self.secret))
        let refusal = #expect(throws: KeychainError.self) { try keychain.maintenance.createBackup(request) }
        #expect(refusal?.status == .dataTooLarge)
        #expect(reserved.withLock(\.self) <= 64 << 20)
    }
}
