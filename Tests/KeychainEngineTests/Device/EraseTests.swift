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

/// A device is erased without its passcode, and begins again.
struct EraseTests {
    private static let passcode = SecretBytes(Array(GuardedStore.passcode.utf8))

    private let key = RecoveryKey.random()

    /// Items of every level, a passcode, a policy and a recovery key.
    private func filled() throws -> TestStore {
        let guarded = try GuardedStore()
        try guarded.keychain.device.createRecoveryKey(key, passcode: Self.passcode)
        try guarded.keychain.device.setPolicy(DevicePolicy(autoLockAfterSeconds: 60, eraseAfterFailedAttempts: 9))
        try guarded.keychain.device.lock()
        return try TestStore.of(guarded.files().compactMapValues(\.self))
    }

    private func expectEmpty(_ store: TestStore, sourceLocation: SourceLocation = #_sourceLocation) throws {
        let keychain = store.open()
        let (device, found) = (keychain.device, sourceLocation)
        #expect(keychain.everything() == .failed(.itemNotFound), sourceLocation: found)
        let status = try device.status()
        #expect(status == DeviceStatus(lockState: .unlocked, hasPasscode: false), sourceLocation: found)
        #expect(try device.summary().recoveryKeyDate == nil, sourceLocation: found)
        #expect(try keychain.check().isSound, sourceLocation: found)
        #expect(keychain.add("new", "secret") == .done, sourceLocation: found)
        #expect(store.open().secret("new") == .secret("secret"), sourceLocation: found)
    }

    @Test("items, passcode, policy and recovery key are gone, without the passcode, and the keychain is usable at once")
    func erases() throws {
        let store = try filled()
        let rootKey = try store.bytes(of: "root.key")
        try store.open().device.erase()
        #expect(try store.bytes(of: "root.key") != rootKey)
        try expectEmpty(store)
        #expect(throws: KeychainError(DeviceError.noRecoveryKey)) { try store.open().device.checkRecoveryKey(key) }
        let names = try FileManager.default.contentsOfDirectory(atPath: store.path)
        #expect(names.filter { $0.hasPrefix("root") || $0.hasPrefix("replacement") } == ["root.key"])
    }

    @Test("no file has anything of the former items, of their keys or of the root key")
    func leavesNothing() throws {
        let store = try filled()
        let raw = try store.raw()
        var traces = [
            Data(try store.bytes(of: "root.key")), Data(try #require(try raw.run("SELECT bytes FROM keybag")[0])),
        ]
        for row in try raw.run("SELECT secret FROM items_genp") { traces.append(Data(try #require(row))) }
        // A log that was found without its database, and set aside.
        try store.write(Array(traces[2]), to: "keychain.db-wal.orphan-1")
        // What a repair has kept.
        let kept = ["keychain.db.damaged-20261128", "keychain.db.damaged-20261128-wal"]
        for name in kept { try store.write(Array(traces[2]), to: name) }
        // What a replacement of the root key that was killed may leave.
        let unfinished = ["root.key.new", "root.key.0123.new"]
        for name in unfinished { try store.write(Array(traces[0]), to: name) }
        try store.open().device.erase()
        for (name, bytes) in try store.contents() {
            for trace in traces {
                let isThere = bytes.range(of: trace) != nil
                #expect(!isThere, "\(name)")
            }
        }
        for name in kept + unfinished + ["keychain.db-wal.orphan-1"] { #expect(try store.contents()[name] == nil) }
    }

    @Test("a copy of the former store does not open with the next root key")
    func formerStore() throws {
        let store = try filled()
        let former = try store.contents()
        try store.open().device.erase()
        var files = former.mapValues { Array($0) }
        files["root.key"] = try store.bytes(of: "root.key")
        let copy = try TestStore.of(files)
        #expect(copy.open().levels == nothingOpens)
    }

    @Test("programs that have the keychain open find it empty, and go on")
    func openPrograms() throws {
        let store = try filled()
        let other = store.open()
        try other.device.unlock(passcode: Self.passcode)
        #expect(other.levels == allLevelsOpen)
        try store.open().device.erase()
        #expect(other.everything() == .failed(.itemNotFound))
        #expect(other.add("other", "secret") == .done)
        #expect(store.open().everything() == .accounts(["other"]))
    }

    @Test("nothing but the keychain is touched: settings, logs and records stay", arguments: [true, false])
    func keeps(_ hasRootKey: Bool) throws {
        let store = try filled()
        let names = [
            "service.record", "identities.json", "audit.settings", "audit.jsonl", "audit.1.jsonl",
            "trust-settings.plist",
            "account", "a file of somebody else",
        ]
        for name in names { try store.write(Array(name.utf8), to: name) }
        if !hasRootKey { try FileManager.default.removeItem(atPath: store.file("root.key")) }
        try store.open().device.erase()
        for name in names { #expect(try store.bytes(of: name) == Array(name.utf8), "\(name)") }
        try expectEmpty(store)
    }

    @Test("it works where the root key is missing, or is another store's, which is kept")
    func lostRootKey() throws {
        for other in [nil, [UInt8](repeating: 7, count: SoftwareRootKey.byteCount)] {
            let store = try filled()
            try FileManager.default.removeItem(atPath: store.file("root.key"))
            if let other { try store.write(other, to: "root.key") }
            #expect(try store.open().device.summary().itemCount == Accessibility.stored.count)
            try store.open().device.erase()
            try expectEmpty(store)
            if let other { #expect(try store.bytes(of: "root.key.orphan-1") == other) }
        }
    }

    @Test("it works where the keybag, the record of the device or the whole file is damaged")
    func damaged() throws {
        let damages: [(TestStore) throws -> Void] = [
            { try $0.raw().run("UPDATE keybag SET bytes = ?", [[1, 2, 3]]) },
            { try $0.raw().execute("DELETE FROM keybag") },
            { try $0.raw().execute("DELETE FROM device") },
            { store in
                try store.checkpoint()
                var bytes = try store.bytes(of: "keychain.db")
                for index in bytes.indices.dropFirst(100) { bytes[index] = 0xA5 }
                try store.write(bytes, to: "keychain.db")
            },
            { try $0.write(Array("no database at all".utf8), to: "keychain.db") },
        ]
        for (number, damage) in damages.enumerated() {
            let store = try filled()
            try damage(store)
            #expect(store.open().levels != allLevelsOpen, "\(number)")
            #expect(throws: Never.self, "\(number)") { try store.open().device.erase() }
            try expectEmpty(store)
        }
    }

    @Test("where there is no keychain nothing is made, and nothing fails")
    func noKeychain() throws {
        let store = try TestStore()
        try store.open().device.erase()
        #expect(access(store.path, F_OK) != 0)
    }

    @Test("the store of another owner is not erased by who opens it as his own")
    func foreignOwner() throws {
        let store = try filled()
        try store.open().handOver(to: .daemon)
        let error = #expect(throws: KeychainError.self) { try store.open().device.erase() }
        #expect(error?.foreignOwner == .daemon)
        try EmbeddedKeychain(at: KeychainLocation(path: store.path), of: .daemon, .withMinimalWork).device.erase()
        let refusal = #expect(throws: KeychainError.self) { try store.open().device.status() }
        #expect(refusal?.foreignOwner == .daemon, "the daemon has the empty store as well")
    }

    @Test("a backup is restored on an erased device, and not over a passcode or a recovery key")
    func restore() throws {
        let guarded = try GuardedStore()
        let folder = try TemporaryFolder()
        let (file, secret) = (folder.path(of: "backup"), SecretBytes(Array("of the backup".utf8)))
        let report = try guarded.keychain.createBackup(at: file, secret: secret)
        let store = try filled()
        func restore() throws { _ = try store.open().maintenance.restoreBackup(from: .path(file), secret: secret) }
        #expect(throws: KeychainError.self) { try restore() }
        try store.open().device.erase()
        try store.open().device.createRecoveryKey(key, passcode: nil)
        #expect(throws: KeychainError.self) { try restore() }
        try store.open().device.removeRecoveryKey(passcode: nil)
        try store.open().device.setPasscode(Self.passcode)
        #expect(throws: KeychainError.self) { try restore() }
        try store.open().device.removePasscode(Self.passcode)
        try restore()
        #expect(try store.open().check().intactRows == report.items)
        #expect(
            store.open().secret(Accessibility.whenUnlocked.rawValue) == .secret(Accessibility.whenUnlocked.secretOfItem)
        )
    }

    @Test("a keychain in memory is erased as well")
    func inMemory() throws {
        let keychain = EmbeddedKeychain.inMemory(device: .withMinimalWork)
        try keychain.device.setPasscode(Self.passcode)
        #expect(keychain.add("anna", "secret") == .done)
        try keychain.device.lock()
        try keychain.device.erase()
        #expect(keychain.everything() == .failed(.itemNotFound))
        #expect(try keychain.device.status().hasPasscode == false)
        #expect(keychain.add("anna", "secret") == .done)
    }
}

extension DeviceOptions {
    /// A device whose passcodes take the least work.
    fileprivate static var withMinimalWork: DeviceOptions {
        var options = DeviceOptions()
        options.passwordWork = .minimum
        return options
    }
}
