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

/// A recovery key opens a keychain without its passcode and its root key.
struct RecoveryKeyTests {
    private static let old = SecretBytes(Array(GuardedStore.passcode.utf8))
    private static let new = SecretBytes(Array("a passcode that is known".utf8))

    private let key = RecoveryKey.random()
    private let next = RecoveryKey.random()

    /// A keychain on disk with an item of every level and a recovery key, unlocked.
    private func guarded() throws -> GuardedStore {
        let store = try GuardedStore()
        try store.keychain.device.createRecoveryKey(key, passcode: Self.old)
        return store
    }

    /// What has become of the root key.
    enum RootKeyLoss: CaseIterable {
        case none, missing, replaced, damaged

        var replacement: [String: [UInt8]?] {
            switch self {
            case .none: [:]
            case .missing: ["root.key": nil]
            case .replaced: ["root.key": [UInt8](repeating: 7, count: SoftwareRootKey.byteCount)]
            case .damaged: ["root.key": [1, 2, 3]]
            }
        }
    }

    @Test(
        "on another computer, without the passcode and whatever became of the root key, every item opens as it was",
        arguments: RootKeyLoss.allCases
    )
    func everyLevel(_ loss: RootKeyLoss) throws {
        try guarded().withStolenFiles(replacing: loss.replacement) { keychain in
            #expect(keychain.levels == (loss == .none ? levelsBeforeFirstUnlock : nothingOpens))
            let summary = try keychain.device.summary()
            #expect(summary.exists && summary.hasPasscode == true && summary.itemCount == Accessibility.stored.count)
            #expect(summary.recoveryKeyDate != nil && summary.hasRootKey == (loss == .none))
            try keychain.device.checkRecoveryKey(key)
            #expect(
                keychain.levels == (loss == .none ? levelsBeforeFirstUnlock : nothingOpens),
                "a check opens nothing"
            )
            try keychain.device.useRecoveryKey(key, newPasscode: Self.new, newRecoveryKey: next)
            #expect(keychain.levels == allLevelsOpen)
            #expect(try keychain.check().isSound)
            // It is a device like any other from now on.
            try keychain.device.lock()
            #expect(keychain.levels == levelsWhileLocked)
            #expect(keychain.unlock(GuardedStore.passcode) == .authenticationFailed)
            try keychain.device.unlock(passcode: Self.new)
            #expect(keychain.levels == allLevelsOpen)
            #expect(throws: KeychainError(DeviceError.wrongRecoveryKey)) { try keychain.device.checkRecoveryKey(key) }
            try keychain.device.checkRecoveryKey(next)
        }
    }

    @Test("the next program opens what was recovered, and the folder has one root key and nothing that is half done")
    func nextProgram() throws {
        let other = [UInt8](repeating: 7, count: SoftwareRootKey.byteCount)
        let files = try guarded().files().merging(["root.key": other]) { $1 }.compactMapValues(\.self)
        let store = try TestStore.of(files)
        try store.open().device.useRecoveryKey(key, newPasscode: Self.new, newRecoveryKey: next)
        let keychain = store.open()
        try keychain.device.unlock(passcode: Self.new)
        #expect(keychain.levels == allLevelsOpen)
        // The one that somebody has put there may be another store's.
        #expect(try store.bytes(of: "root.key.orphan-1") == other)
        var status = stat()
        #expect(stat(store.file("root.key"), &status) == 0 && status.st_mode & 0o777 == 0o600)
        let names = try FileManager.default.contentsOfDirectory(atPath: store.path)
        #expect(names.filter { $0.hasPrefix("root.key") }.sorted() == ["root.key", "root.key.orphan-1"])
        #expect(!names.contains("replacement.mark"))
    }

    @Test("a root key that is there stays, and so do keys of the enclave that lie outside of the store")
    func keepsRootKey() throws {
        let store = try guarded()
        let sealed = try store.keychain.enclave.makeKey(
            .p256,
            accessControl: .of(.whenUnlocked, .privateKeyUsage),
            context: nil
        )
        let rootKey = try store.files()["root.key"]
        try store.keychain.device.useRecoveryKey(key, newPasscode: Self.new, newRecoveryKey: next)
        #expect(try store.files()["root.key"] == rootKey)
        #expect(throws: Never.self) { try store.keychain.enclave.sign(sealed) }
        try store.withStolenFiles(replacing: ["root.key": nil]) { keychain in
            try keychain.device.useRecoveryKey(next, newPasscode: Self.old, newRecoveryKey: key)
            #expect(throws: Never.self) { try keychain.enclave.sign(sealed) }
        }
    }

    @Test("a wrong key, that of another store and one that was used change nothing, and are no try of the passcode")
    func wrongKeys() throws {
        let store = try guarded()
        try store.keychain.device.useRecoveryKey(key, newPasscode: Self.old, newRecoveryKey: next)
        #expect(store.keychain.unlock("wrong") == .authenticationFailed)
        let keybag = try store.keybag()
        for wrong in [.random(), key] {
            for replacement: [String: [UInt8]?] in [[:], ["root.key": nil]] {
                try store.withStolenFiles(replacing: replacement) { keychain in
                    #expect(throws: KeychainError(DeviceError.wrongRecoveryKey)) {
                        try keychain.device.useRecoveryKey(wrong, newPasscode: Self.new, newRecoveryKey: .random())
                    }
                }
            }
            for _ in 0..<20 {
                #expect(throws: KeychainError(DeviceError.wrongRecoveryKey)) {
                    try store.keychain.device.useRecoveryKey(wrong, newPasscode: Self.new, newRecoveryKey: .random())
                }
                #expect(throws: KeychainError(DeviceError.wrongRecoveryKey)) {
                    try store.keychain.device.checkRecoveryKey(wrong)
                }
            }
        }
        #expect(try store.keybag() == keybag)
        let status = try store.keychain.device.status()
        #expect(status.failedAttempts == 1 && status.secondsUntilNextAttempt == 0)
        #expect(store.keychain.unlock(GuardedStore.passcode) == nil)
    }

    @Test("it works while the next passcode may not be tried yet, and ends the wait")
    func afterTooManyAttempts() throws {
        let store = try guarded()
        for _ in 0..<6 { #expect(store.keychain.unlock("wrong") == .authenticationFailed) }
        #expect(try store.keychain.device.status().secondsUntilNextAttempt > 0)
        #expect(store.keychain.unlock(GuardedStore.passcode) == .authenticationFailed)
        try store.keychain.device.useRecoveryKey(key, newPasscode: Self.new, newRecoveryKey: next)
        let status = try store.keychain.device.status()
        #expect(status.failedAttempts == 0 && status.secondsUntilNextAttempt == 0)
        #expect(store.keychain.levels == allLevelsOpen)
    }

    @Test("every other program is locked, and needs the new passcode")
    func locksOthers() throws {
        let store = try TestStore()
        let (here, there) = (store.open(), store.open())
        try here.device.setPasscode(Self.old)
        #expect(here.add("anna", "secret") == .done)
        try here.device.createRecoveryKey(key, passcode: Self.old)
        try there.device.unlock(passcode: Self.old)
        #expect(there.secret("anna") == .secret("secret"))
        try here.device.useRecoveryKey(key, newPasscode: Self.new, newRecoveryKey: next)
        #expect(here.secret("anna") == .secret("secret"))
        #expect(there.secret("anna") == .failed(.interactionNotAllowed))
        try there.device.unlock(passcode: Self.new)
        #expect(there.secret("anna") == .secret("secret"))
    }

    @Test("without a passcode a lost root key is replaced, with a passcode from then on or without one")
    func withoutPasscode() throws {
        let store = try GuardedStore(passcode: nil)
        try store.keychain.device.createRecoveryKey(key, passcode: nil)
        var expected = allLevelsOpen
        expected[.whenPasscodeSetThisDeviceOnly] = .failed(.itemNotFound)
        for passcode in [nil, Self.new] {
            try store.withStolenFiles(replacing: ["root.key": nil]) { keychain in
                #expect(keychain.levels == nothingOpens)
                try keychain.device.useRecoveryKey(key, newPasscode: passcode, newRecoveryKey: next)
                #expect(keychain.levels == expected)
                #expect(try keychain.device.status().hasPasscode == (passcode != nil))
                try keychain.device.checkRecoveryKey(next)
                if passcode != nil { #expect(keychain.add(.whenPasscodeSetThisDeviceOnly) == .done) }
            }
        }
    }

    @Test("a passcode that was set is replaced by another one, and neither by none nor by an empty one")
    func needsPasscode() throws {
        let store = try guarded()
        for passcode in [nil, SecretBytes()] {
            let error = #expect(throws: KeychainError.self) {
                try store.keychain.device.useRecoveryKey(key, newPasscode: passcode, newRecoveryKey: next)
            }
            #expect(error?.status == .parameter)
        }
        try store.keychain.device.checkRecoveryKey(key)
        #expect(store.keychain.unlock(GuardedStore.passcode) == nil)
    }

    @Test("it is made and removed with the passcode alone, and a wrong one counts")
    func provesPasscode() throws {
        let store = try guarded()
        let device = store.keychain.device
        for passcode in [nil, Self.new] {
            #expect(throws: KeychainError.self) { try device.createRecoveryKey(next, passcode: passcode) }
            #expect(throws: KeychainError.self) { try device.removeRecoveryKey(passcode: passcode) }
        }
        #expect(try device.status().failedAttempts == 2)
        try device.checkRecoveryKey(key)
        try device.removeRecoveryKey(passcode: Self.old)
        #expect(throws: KeychainError(DeviceError.noRecoveryKey)) { try device.checkRecoveryKey(key) }
        #expect(throws: KeychainError(DeviceError.noRecoveryKey)) { try device.removeRecoveryKey(passcode: Self.old) }
        #expect(throws: KeychainError(DeviceError.noRecoveryKey)) {
            try device.useRecoveryKey(key, newPasscode: Self.new, newRecoveryKey: next)
        }
        #expect(store.keychain.levels == allLevelsOpen)
    }

    @Test("once it was removed, replaced or used no file has the keybag that it opens")
    func former() throws {
        let changes: [(KeychainDevice) throws -> Void] = [
            { try $0.removeRecoveryKey(passcode: Self.old) },
            { [next] in try $0.createRecoveryKey(next, passcode: Self.old) },
            { [key, next] in try $0.useRecoveryKey(key, newPasscode: Self.new, newRecoveryKey: next) },
        ]
        for change in changes {
            let store = try guarded()
            // The code of the keybag, which nothing else has.
            let code = Data(try store.keybag().suffix(32))
            try change(store.keychain.device)
            for (name, bytes) in try store.files() {
                let isThere = Data(bytes ?? []).range(of: code) != nil
                #expect(!isThere, "\(name)")
            }
        }
    }

    @Test("no file has the recovery key, or its text")
    func isNowhere() throws {
        let store = try guarded()
        try store.keychain.device.useRecoveryKey(key, newPasscode: Self.new, newRecoveryKey: next)
        for secret in [key.bytes, key.text, next.bytes, next.text].map({ Data($0.unprotectedCopy) }) {
            for (name, bytes) in try store.files() {
                let isThere = Data(bytes ?? []).range(of: secret) != nil
                #expect(!isThere, "\(name)")
            }
        }
    }

    @Test("it stays valid when the passcode is changed and removed and set, and when the root key is replaced")
    func outlivesChanges() throws {
        let store = try guarded()
        let (keychain, device) = (store.keychain, store.keychain.device)
        func expectRecoverable(_ expected: [Accessibility: Answer] = allLevelsOpen) throws {
            try store.withStolenFiles(replacing: ["root.key": nil]) { keychain in
                try keychain.device.useRecoveryKey(key, newPasscode: Self.new, newRecoveryKey: next)
                #expect(keychain.levels == expected)
            }
        }
        try device.changePasscode(from: Self.old, to: Self.new)
        try expectRecoverable()
        try keychain.maintenance.replaceRootKey(passcode: Self.new)
        try expectRecoverable()
        try device.removePasscode(Self.new)
        var expected = allLevelsOpen
        expected[.whenPasscodeSetThisDeviceOnly] = .failed(.itemNotFound)
        try expectRecoverable(expected)
        try device.setPasscode(Self.old)
        #expect(keychain.add(.whenPasscodeSetThisDeviceOnly) == .done)
        try expectRecoverable()
        let date = try #require(try device.summary().recoveryKeyDate)
        #expect(date.secondsSinceReferenceDate > 0)
    }

    @Test("a store with a recovery key declares it to programs that do not know it, and no longer once that is gone")
    func declared() throws {
        let store = try guarded()
        let maintenance = store.keychain.maintenance
        #expect(try maintenance.storeStatus().features.map(\.name) == ["recovery-key"])
        #expect(try maintenance.storeStatus().file?.readerRevision == 1)
        try store.withStolenFiles(replacing: ["root.key": nil]) { keychain in
            try keychain.device.useRecoveryKey(key, newPasscode: Self.new, newRecoveryKey: next)
            #expect(try keychain.maintenance.storeStatus().features.count == 1)
            try keychain.device.erase()
            #expect(try keychain.maintenance.storeStatus().features.isEmpty)
        }
        try store.keychain.device.removeRecoveryKey(passcode: Self.old)
        #expect(try maintenance.storeStatus().features.isEmpty)
        #expect(try maintenance.storeStatus().file?.readerRevision == 0)
    }

    @Test("a keychain in memory declares its own, and none that the keychain had whose store it takes over")
    func declaredInMemory() throws {
        for _ in 0..<4 {
            let keychain = EmbeddedKeychain.inMemory()
            #expect(try keychain.maintenance.storeStatus().features.isEmpty)
            try keychain.device.createRecoveryKey(key, passcode: nil)
            #expect(keychain.add("a", "a") == .done)
            #expect(try keychain.maintenance.storeStatus().features.map(\.name) == ["recovery-key"])
        }
    }

    @Test("a keychain in memory has one as well")
    func inMemory() throws {
        var options = DeviceOptions()
        options.passwordWork = .minimum
        let keychain = EmbeddedKeychain.inMemory(device: options)
        try keychain.device.setPasscode(Self.old)
        for level in Accessibility.stored { #expect(keychain.add(level) == .done) }
        #expect(throws: KeychainError(DeviceError.noRecoveryKey)) { try keychain.device.checkRecoveryKey(key) }
        try keychain.device.createRecoveryKey(key, passcode: Self.old)
        try keychain.device.lock()
        #expect(throws: KeychainError(DeviceError.wrongRecoveryKey)) {
            try keychain.device.useRecoveryKey(next, newPasscode: Self.new, newRecoveryKey: next)
        }
        try keychain.device.useRecoveryKey(key, newPasscode: Self.new, newRecoveryKey: next)
        #expect(keychain.levels == allLevelsOpen)
        #expect(keychain.unlock(GuardedStore.passcode) == .authenticationFailed)
        try keychain.device.removeRecoveryKey(passcode: Self.new)
        #expect(try keychain.device.summary().recoveryKeyDate == nil)
    }

    @Test("where there is no keychain there is no recovery key, and none is made by looking")
    func noKeychain() throws {
        let store = try TestStore()
        let device = store.open().device
        #expect(try device.summary() == DeviceSummary())
        #expect(throws: KeychainError(DeviceError.noRecoveryKey)) { try device.checkRecoveryKey(key) }
        #expect(throws: KeychainError(DeviceError.noRecoveryKey)) {
            try device.useRecoveryKey(key, newPasscode: Self.new, newRecoveryKey: next)
        }
        #expect(access(store.path, F_OK) != 0)
    }

    @Test("a store whose chip is gone gets a root key in a file")
    func lostChip() throws {
        let store = try TestStore()
        func open(_ sources: RootKeySources) -> EmbeddedKeychain {
            var device = DeviceOptions()
            (device.passwordWork, device.rootKeys) = (.minimum, sources)
            return EmbeddedKeychain(at: KeychainLocation(path: store.path), device: device)
        }
        let keychain = open(RootKeySources(try Chip(), RootKeyFile()))
        try keychain.device.setPasscode(Self.old)
        #expect(keychain.add("anna", "secret") == .done)
        try keychain.device.createRecoveryKey(key, passcode: Self.old)
        let newKey = RecoveryKey.random()
        // A program that knows of no chip, and one that has another chip.
        for (key, newKey, sources) in [
            (key, next, RootKeySources()), (next, newKey, RootKeySources(RootKeyFile(), try Chip())),
        ] {
            let keychain = open(sources)
            try keychain.device.useRecoveryKey(key, newPasscode: Self.new, newRecoveryKey: newKey)
            #expect(keychain.secret("anna") == .secret("secret"))
            #expect(try keychain.maintenance.rootKeyStatus().kind == .software)
        }
        #expect(access(store.file("root-key.settings"), F_OK) != 0)
    }

    @Test("a backup has no recovery key, and a keychain that is restored has none")
    func backup() throws {
        let store = try guarded()
        let folder = try TemporaryFolder()
        let secret = SecretBytes(Array("of the backup".utf8))
        _ = try store.keychain.createBackup(at: folder.path(of: "backup"), secret: secret)
        let keybag = try RawStore(path: folder.path(of: "backup")).run("SELECT bytes FROM keybag")[0]
        #expect(throws: ProtectionError.self) { try RecoveredKeybag(keybag ?? [], key, owner: .embedded) }
        let restored = try TestStore()
        _ = try EmbeddedKeychain.restoreBackup(
            from: folder.path(of: "backup"),
            secret: secret,
            to: KeychainLocation(path: restored.path),
            floor: ScryptFloor(of: .minimum)
        )
        #expect(try restored.open().device.summary().recoveryKeyDate == nil)
    }
}

/// A keychain that is moved takes its recovery key with it.
struct MovedRecoveryKeyTests: MoveScene {
    let source: TestStore
    let target: TestStore

    init() throws { (source, target) = (try TestStore(), try TestStore()) }

    @Test("a recovery key opens the keychain where it was moved to, and nothing where it was")
    func move() throws {
        let key = RecoveryKey.random()
        let keychain = source.open()
        try keychain.device.setPasscode(Self.passcode)
        try fill(keychain)
        try keychain.device.createRecoveryKey(key, passcode: Self.passcode)
        try move(from: source, to: target)
        #expect(throws: KeychainError(DeviceError.noRecoveryKey)) { try source.open().device.checkRecoveryKey(key) }
        let moved = target.open()
        try moved.device.useRecoveryKey(key, newPasscode: SecretBytes([9]), newRecoveryKey: .random())
        #expect(moved.secret("anna") == .secret("secret of anna"))
    }
}
