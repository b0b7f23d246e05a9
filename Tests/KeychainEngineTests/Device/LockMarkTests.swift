// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainCore
import KeychainHost
import KeychainProtection
import KeychainSimulation
import KeychainTestSupport
import Testing

@testable import KeychainEngine

/// The file by which processes learn of a lock, and what somebody may put in its place.
struct LockMarkTests {
    /// What lies under the name of the mark.
    enum Thing: String, CaseIterable {
        case nothing, empty, short, long, copy, open, folder, pipe, link

        /// Whether an unlock makes a mark of it.
        var givesWay: Bool { ![.folder, .pipe, .link].contains(self) }
    }

    private func put(_ thing: Thing, at path: String) throws {
        let mark = try Data(contentsOf: URL(fileURLWithPath: path))
        try FileManager.default.removeItem(atPath: path)
        let contents: Data
        switch thing {
        case .nothing: return
        case .folder: return #expect(mkdir(path, 0o700) == 0)
        case .pipe: return #expect(mkfifo(path, 0o600) == 0)
        case .link:
            contents = mark
            #expect(symlink("\(path).target", path) == 0)
        case .empty: contents = Data()
        case .short: contents = mark.dropLast()
        case .long: contents = mark + [0]
        case .copy, .open: contents = mark
        }
        #expect(
            FileManager.default.createFile(
                atPath: thing == .link ? "\(path).target" : path,
                contents: contents,
                attributes: [.posixPermissions: thing == .open ? 0o644 : 0o600]
            )
        )
    }

    @Test("whatever takes the place of the mark locks, and an unlock makes a new one of it", arguments: Thing.allCases)
    func replaced(_ thing: Thing) throws {
        let store = try GuardedStore()
        let path = store.file(LockMark.fileName)
        #expect(store.keychain.levels == allLevelsOpen)
        try store.waitForLaterChange()
        try put(thing, at: path)
        #expect(store.keychain.levels == levelsWhileLocked)
        if !thing.givesWay {
            #expect(store.keychain.unlock(GuardedStore.passcode) == .notAvailable)
            #expect(store.keychain.levels == levelsWhileLocked)
            try FileManager.default.removeItem(atPath: path)
        }
        #expect(store.keychain.unlock(GuardedStore.passcode) == nil)
        #expect(store.keychain.levels == allLevelsOpen)
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)).count == 16)
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
    }

    @Test("a lock succeeds whatever lies there, and follows no link", arguments: Thing.allCases)
    func lock(_ thing: Thing) throws {
        let store = try GuardedStore()
        let other = try store.device.anotherProcess()
        #expect(other.unlock(GuardedStore.passcode) == nil)
        let path = store.file(LockMark.fileName)
        let mark = try Data(contentsOf: URL(fileURLWithPath: path))
        try put(thing, at: path)
        try store.keychain.device.lock()
        #expect(store.keychain.levels == levelsWhileLocked)
        #expect(other.levels == levelsWhileLocked)
        if thing == .link { #expect(try Data(contentsOf: URL(fileURLWithPath: "\(path).target")) == mark) }
    }

    /// What is wrong with a keychain when it is locked.
    enum Fault: CaseIterable {
        case openFolder, openStore, storeMovedAway

        /// Brings the fault about, or ends it.
        func set(_ isThere: Bool, _ store: GuardedStore) throws {
            let file = store.file("keychain.db")
            switch self {
            case .openFolder: #expect(chmod(store.file(""), isThere ? 0o755 : 0o700) == 0)
            case .openStore: #expect(chmod(file, isThere ? 0o644 : 0o600) == 0)
            case .storeMovedAway: #expect(rename(isThere ? file : "\(file).away", isThere ? "\(file).away" : file) == 0)
            }
        }
    }

    @Test("a lock that refuses a keychain has locked everybody", arguments: Fault.allCases)
    func refused(_ fault: Fault) throws {
        let store = try GuardedStore()
        let other = try store.device.anotherProcess()
        #expect(other.unlock(GuardedStore.passcode) == nil)
        try fault.set(true, store)
        #expect(throws: KeychainError.self) { try store.keychain.device.lock() }
        try fault.set(false, store)
        #expect(store.keychain.levels == levelsWhileLocked)
        #expect(other.levels == levelsWhileLocked)
    }

    @Test("a lock takes no file but its own from a folder that is not a keychain's")
    func otherFolder() throws {
        let store = try TestStore()
        try FileManager.default.createDirectory(atPath: store.path, withIntermediateDirectories: true)
        try Data([1]).write(to: URL(fileURLWithPath: store.file("handover.notes")))
        #expect(throws: KeychainError.self) { try store.open().device.lock() }
        #expect(FileManager.default.fileExists(atPath: store.file("handover.notes")))
    }

    @Test("every lock draws a new mark, and an unlock leaves it")
    func fresh() throws {
        let store = try GuardedStore()
        let mark = LockMark(try PrivateDirectory(KeychainLocation(path: store.file(""))))
        var seen: Set<LockMark.Value> = []
        for _ in 0..<8 {
            let value = try #require(mark.read())
            #expect(seen.insert(value).inserted)
            #expect(store.keychain.unlock(GuardedStore.passcode) == nil)
            #expect(mark.read() == value)
            try store.keychain.device.lock()
        }
    }

    @Test("without a passcode there is no mark to look at, and a lock makes none")
    func withoutPasscode() throws {
        let store = try TestStore()
        let keychain = store.open()
        #expect(keychain.add("anna", "secret") == .done)
        let refusal = #expect(throws: KeychainError.self) { try keychain.device.lock() }
        #expect(refusal?.kind == .device(.noPasscode))
        #expect(!FileManager.default.fileExists(atPath: store.file(LockMark.fileName)))
    }

    @Test("a lock where there is no keychain makes none")
    func noKeychain() throws {
        let store = try TestStore()
        for _ in 0..<2 {
            let refusal = #expect(throws: KeychainError.self) { try store.open().device.lock() }
            #expect(refusal?.kind == .device(.noPasscode))
        }
        #expect(!FileManager.default.fileExists(atPath: store.path))
        try FileManager.default.createDirectory(atPath: store.path, withIntermediateDirectories: true)
        #expect(chmod(store.path, 0o700) == 0)
        #expect(throws: KeychainError.self) { try store.open().device.lock() }
        #expect(try store.contents().isEmpty)
    }

    @Test("a lock waits for nobody who writes, ends what was handed over, and is everybody's")
    func whileAnotherWrites() throws {
        let store = try TestStore()
        defer { withExtendedLifetime(store) {} }
        let keychain = store.open(busyTimeoutMilliseconds: 120_000)
        let passcode = SecretBytes(Array(GuardedStore.passcode.utf8))
        try keychain.device.setPasscode(passcode)
        for level in Accessibility.stored { try #require(keychain.add(level) == .done) }
        let other = store.open()
        #expect(other.unlock(GuardedStore.passcode) == nil)
        let offer = try #require(try keychain.offerUnlock(passcode: passcode))
        defer { offer.withdraw() }
        let raw = try store.raw()
        try raw.execute("BEGIN IMMEDIATE")
        let start = ContinuousClock.now
        try keychain.device.lock()
        // A call that waits for the other gives up after two minutes.
        #expect(ContinuousClock.now - start < .seconds(60))
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: store.file("")).allSatisfy { !$0.hasPrefix("handover") }
        )
        #expect(keychain.levels == levelsWhileLocked)
        #expect(other.levels == levelsWhileLocked)
        try raw.execute("ROLLBACK")
    }

    @Test("an unlock under a umask that takes the owner's rights leaves files that the next one opens")
    func umask() async {
        await #expect(processExitsWith: .success) {
            #expect(ChildProcess.becomeOrdinaryUser())
            let before = Glibc.umask(0o777)
            let store = try TestStore()
            let passcode = SecretBytes(Array(GuardedStore.passcode.utf8))
            var options = DeviceOptions()
            options.passwordWork = .testing
            func process() -> EmbeddedKeychain {
                EmbeddedKeychain(at: KeychainLocation(path: store.path), device: options)
            }
            #expect(chmod(store.folder.path, 0o700) == 0)
            try process().device.setPasscode(passcode)
            for name in ["attempt.lock", "setup.lock", LockMark.fileName] {
                let mode = try FileManager.default.attributesOfItem(atPath: store.file(name))[.posixPermissions] as? Int
                #expect(mode == 0o600, "\(name)")
                // As a process leaves them that was killed before it gave itself the rights back.
                #expect(chmod(store.file(name), 0) == 0)
            }
            try process().device.unlock(passcode: passcode)
            Glibc.umask(before)
            try process().device.unlock(passcode: passcode)
        }
    }
}
