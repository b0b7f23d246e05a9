// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainCore
import KeychainHost
import KeychainProtection
import KeychainStore
import KeychainTestSupport
import Testing

@testable import KeychainEngine

/// The new file of a repair has all items and the keys of that time: nothing of it stays that is not the store.
struct RepairRemainsTests {
    private static let passcode = SecretBytes(Array(GuardedStore.passcode.utf8))
    private static let other = SecretBytes(Array("another passcode".utf8))
    private static let names = [
        "keychain.db.new", "keychain.db.new-wal", "keychain.db.new-journal", "keychain.db.joined",
        "keychain.db.joined.new",
    ]

    private let key = RecoveryKey.random()

    /// A store whose repair was killed.
    private func guarded() throws -> GuardedStore {
        let store = try GuardedStore()
        try store.keychain.device.createRecoveryKey(key, passcode: Self.passcode)
        leaveFiles(in: store)
        return store
    }

    private func leaveFiles(in store: GuardedStore) {
        for name in Self.names {
            let isMade = FileManager.default.createFile(
                atPath: store.file(name),
                contents: Data("items".utf8),
                attributes: [.posixPermissions: 0o600]
            )
            #expect(isMade)
        }
    }

    private func left(in path: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: path).filter { name in
            ["keychain.db.new", "keychain.db.joined"].contains { name.hasPrefix($0) }
        }
    }

    @Test("before it is confirmed, a repair has made no file")
    func question() throws {
        let store = try TestStore()
        #expect(store.open().add("anna", "secret") == .done)
        try store.raw().execute("DROP INDEX items_genp_acct")
        let outcome = try store.repair().run(date: "D") { expected in
            #expect(expected.rows == 1)
            let files = try? left(in: store.path)
            #expect(files == [])
            return false
        }
        #expect(!outcome.isDone && outcome.rows == 1)
        #expect(try left(in: store.path).isEmpty)
    }

    @Test("a repair that fails leaves no file", arguments: ["keychain.db.damaged-D.new", "keychain.db.joined.new"])
    func failed(_ obstacle: String) throws {
        let origin = try TestStore()
        let keychain = origin.open()
        #expect(keychain.add("anna", "secret") == .done)
        try keychain.leaveLog()
        let raw = try origin.raw()
        try raw.execute("PRAGMA wal_autocheckpoint = 0; DROP INDEX items_genp_acct")
        var files = try origin.contents().mapValues { Array($0) }
        files["keychain.db-shm"] = [UInt8](repeating: 0, count: 32_768)
        let store = try TestStore.of(files)
        // A folder in the place of a file fails as a full disk does, also for root.
        #expect(mkdir(store.file(obstacle), 0o700) == 0)
        #expect(throws: KeychainError.self) { try store.repair().run(date: "D") { _ in true } }
        #expect(try left(in: store.path).filter { $0 != obstacle }.isEmpty)
    }

    @Test("whatever replaces the keys removes the files of a repair that was killed")
    func replacedKeys() throws {
        let changes: [(KeychainDevice, KeychainMaintenance) throws -> Void] = [
            { device, _ in try device.erase() },
            { device, _ in try device.changePasscode(from: Self.passcode, to: Self.other) },
            { device, _ in try device.removePasscode(Self.passcode) },
            { device, _ in try device.removeRecoveryKey(passcode: Self.passcode) },
            { device, _ in try device.createRecoveryKey(.random(), passcode: Self.passcode) },
            { [key] device, _ in
                try device.useRecoveryKey(key, newPasscode: Self.other, newRecoveryKey: .random())
            },
            { _, maintenance in try maintenance.replaceRootKey(passcode: Self.passcode) },
        ]
        for (number, change) in changes.enumerated() {
            let store = try guarded()
            try change(store.keychain.device, store.keychain.maintenance)
            let files = try left(in: store.file(""))
            #expect(files.isEmpty, "\(number): \(files)")
        }
    }

    @Test("a device that erases itself leaves no file of a repair either, nor one that a repair kept")
    func erasesItself() throws {
        let store = try guarded()
        try store.keychain.device.setPolicy(DevicePolicy(eraseAfterFailedAttempts: 1))
        let kept = store.file("keychain.db.damaged-D")
        try Data("items".utf8).write(to: URL(fileURLWithPath: kept))
        #expect(throws: KeychainError(DeviceError.erased)) { try store.keychain.device.unlock(passcode: Self.other) }
        #expect(try left(in: store.file("")).isEmpty)
        #expect(!FileManager.default.fileExists(atPath: kept))
    }

    @Test("the files of a repair that goes on stay: it has the lock of the store")
    func running() throws {
        let store = try guarded()
        let folder = try #require(try PrivateDirectory(existing: KeychainLocation(path: store.file(""))))
        let lock = try Store.lock(folder, until: Deadline(milliseconds: 0))
        try store.keychain.device.changePasscode(from: Self.passcode, to: Self.other)
        #expect(try left(in: store.file("")).count == Self.names.count)
        _ = consume lock
        try store.keychain.device.changePasscode(from: Self.other, to: Self.passcode)
        #expect(try left(in: store.file("")).isEmpty)
    }
}
