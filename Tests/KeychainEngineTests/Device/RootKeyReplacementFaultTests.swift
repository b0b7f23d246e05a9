// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainCore
import KeychainHost
import KeychainProtection
import KeychainStore
import KeychainTestSupport
import Synchronization
import Testing

@testable import KeychainEngine

/// A store gets another root key, and something goes wrong: what is left opens with one of the two keys.
struct RootKeyReplacementFaultTests: RootKeyReplacementScene {
    let store: TestStore

    init() throws { store = try TestStore() }

    // MARK: Processes that are killed

    /// A moment at which a process can be killed.
    enum Moment: CaseIterable {
        case madeNext, replacedKeybag, settled
    }

    @Test(
        "whatever a killed process leaves opens with one of the two keys, and the next opening removes the other",
        arguments: Moment.allCases,
        passcodes
    )
    func killed(_ moment: Moment, _ passcode: SecretBytes?) throws {
        let source = WatchedKeyFile()
        let keychain = open(RootKeySources(source))
        try fill(keychain, passcode)
        let former = try store.bytes(of: "root.key")
        let store = store
        source.watch(moment) { try store.contents() }
        try keychain.maintenance.replaceRootKey(passcode: passcode)
        let left = try TestStore.of(try #require(source.seen).mapValues { Array($0) })
        let present = try #require(left.contents()["root.key"])
        #expect((Array(present) == former) == (moment != .settled))
        #expect(try left.contents()[ReplacementMark.fileName] != nil)
        #expect(try EmbeddedKeychain.hasRemains(at: KeychainLocation(path: left.path)))

        try expectWhole(left.open(), passcode)
        let names = try left.contents().keys.filter { $0.hasPrefix("root.key") || $0.hasPrefix("replacement") }
        #expect(names == ["root.key"])
        #expect(try (left.bytes(of: "root.key") == former) == (moment == .madeNext))
        try left.open().maintenance.replaceRootKey(passcode: passcode)
        try expectWhole(left.open(), passcode)
    }

    @Test("a replacement that was interrupted is ended before another one begins, which is refused otherwise")
    func interruptedTwice() throws {
        let source = WatchedKeyFile()
        let keychain = open(RootKeySources(source))
        try fill(keychain, nil)
        source.refusesToSettle.store(true, ordering: .relaxed)
        try keychain.maintenance.replaceRootKey(passcode: nil)
        #expect(try keychain.maintenance.rootKeyStatus().isUnsettled)
        let before = try fileNames
        #expect(throws: KeychainError.self) { try keychain.maintenance.replaceRootKey(passcode: nil) }
        #expect(try fileNames == before)
        try expectWhole(keychain, nil)
        source.refusesToSettle.store(false, ordering: .relaxed)
        try keychain.maintenance.replaceRootKey(passcode: nil)
        #expect(try !keychain.maintenance.rootKeyStatus().isUnsettled)
        #expect(try fileNames == ["root.key"])
        try expectWhole(open(), nil)
    }

    @Test("what a killed process leaves on the way to a chip loses its file, and that of another store is kept")
    func killedOnTheWayToAChip() throws {
        let (source, chip) = (WatchedKeyFile(), try Chip())
        let sources = RootKeySources(source, chip)
        let keychain = open(sources)
        try fill(keychain, nil)
        source.watch(.replacedKeybag) { [store] in try store.contents() }
        try keychain.maintenance.replaceRootKey(.tpm, passcode: nil)
        let left = try TestStore.of(try #require(source.seen).mapValues { Array($0) })
        #expect(try left.contents()["root.key"] != nil)
        try expectWhole(open(RootKeySources(RootKeyFile(), chip), at: left), nil)
        #expect(try left.contents().keys.filter { $0.hasPrefix("root") } == [RootKeySettings.fileName])

        // On the way back, a key in the file's place is that of a store that was moved aside.
        let foreign = [UInt8](repeating: 7, count: 32)
        try store.write(foreign, to: "root.key")
        source.watch(.madeNext) { [store] in try store.contents() }
        try keychain.maintenance.replaceRootKey(.software, passcode: nil)
        let back = try TestStore.of(try #require(source.seen).mapValues { Array($0) })
        try expectWhole(open(RootKeySources(RootKeyFile(), chip), at: back), nil)
        #expect(try back.contents().keys.filter { $0.hasPrefix("root.key") } == ["root.key"])
        #expect(try back.bytes(of: "root.key") == foreign)
    }

    // MARK: Files that cannot be written

    @Test("on a full disk the store keeps the root key that it has", arguments: passcodes)
    func fullDisk(_ passcode: SecretBytes?) async throws {
        let source = WatchedKeyFile()
        let keychain = open(RootKeySources(source))
        try fill(keychain, passcode)
        let former = try store.bytes(of: "root.key")
        source.isFull.store(true, ordering: .relaxed)
        let refusal = #expect(throws: KeychainError.self) {
            try keychain.maintenance.replaceRootKey(passcode: passcode)
        }
        #expect(refusal?.status == .diskFull)
        #expect(try store.bytes(of: "root.key") == former)
        #expect(try fileNames == ["root.key"])
        try expectWhole(open(), passcode)
    }

    @Test("where the keybag finds no room the store keeps the root key that it has")
    func fullStore() async {
        await #expect(processExitsWith: .success) {
            FaultyFileSystem.install()
            let store = try TestStore()
            let keychain = store.open()
            #expect(keychain.add("anna", "secret") == .done)
            let former = try store.bytes(of: "root.key")
            FaultyFileSystem.room = (0, ENOSPC)
            let refusal = #expect(throws: KeychainError.self) {
                try keychain.maintenance.replaceRootKey(passcode: nil)
            }
            #expect(refusal?.status == .diskFull)
            #expect(keychain.secret("anna") == .secret("secret"))
            FaultyFileSystem.room = nil
            #expect(try store.bytes(of: "root.key") == former)
            let names = try store.contents().keys.filter { $0.hasPrefix("root.key") || $0.hasPrefix("replacement") }
            #expect(names == ["root.key"])
            #expect(store.open().secret("anna") == .secret("secret"))
            try keychain.maintenance.replaceRootKey(passcode: nil)
            #expect(store.open().secret("anna") == .secret("secret"))
        }
    }

    @Test("where it is not known whether the keybag was stored, both root keys are kept until that is known")
    func doubtful() async {
        await #expect(processExitsWith: .success) {
            FaultyFileSystem.install()
            let store = try TestStore()
            let keychain = store.open()
            #expect(keychain.add("anna", "secret") == .done)
            // Neither the change nor its withdrawal.
            FaultyFileSystem.failingLogSyncs = 2
            let error = #expect(throws: KeychainError.self) {
                try keychain.maintenance.replaceRootKey(passcode: nil)
            }
            #expect(error?.kind == .storage(.doubtfulCommit))
            #expect(FaultyFileSystem.failingLogSyncs == 0)
            let location = KeychainLocation(path: store.path)
            #expect(try EmbeddedKeychain.hasRemains(at: location))
            #expect(try store.contents().keys.contains { $0.hasPrefix("\(RootKeyFile.name).") })
            #expect(try store.afterRestart { $0.secret("anna") } == .secret("secret"))
            #expect(store.open().secret("anna") == .secret("secret"))
            #expect(try !EmbeddedKeychain.hasRemains(at: location))
            #expect(try store.afterRestart { $0.secret("anna") } == .secret("secret"))
        }
    }

    @Test("in a folder that cannot be written the store keeps the root key that it has")
    func readOnlyFolder() async {
        await #expect(processExitsWith: .success) {
            #expect(ChildProcess.becomeOrdinaryUser())
            let store = try TestStore()
            #expect(store.open().add("anna", "secret") == .done)
            try store.checkpoint()
            let former = try store.bytes(of: "root.key")
            #expect(chmod(store.path, 0o500) == 0)
            let refusal = #expect(throws: KeychainError.self) {
                try store.open().maintenance.replaceRootKey(passcode: nil)
            }
            #expect(refusal?.status == .notAvailable || refusal?.status == .readOnly)
            #expect(try store.bytes(of: "root.key") == former)
            #expect(chmod(store.path, 0o700) == 0)
            #expect(store.open().secret("anna") == .secret("secret"))
        }
    }

    /// Keys in files, with a look at the folder at a moment of a replacement, or a fault.
    private final class WatchedKeyFile: ReplaceableRootKeySource {
        let isFull = Atomic(false)
        let refusesToSettle = Atomic(false)
        private let file = RootKeyFile()
        private let watched = Mutex<(moment: Moment, look: @Sendable () throws -> [String: Data])?>(nil)
        private let found = Mutex<[String: Data]?>(nil)

        var seen: [String: Data]? { found.withLock(\.self) }

        var kind: RootKeyKind { file.kind }

        func watch(_ moment: Moment, _ look: @escaping @Sendable () throws -> [String: Data]) {
            watched.withLock { $0 = (moment, look) }
        }

        private func pass(_ moment: Moment) {
            guard let watch = watched.withLock(\.self), watch.moment == moment else { return }
            let seen = try? watch.look()
            found.withLock { $0 = seen }
        }

        func rootKey(for folder: PrivateDirectory) throws(RootKeyError) -> any RootKey {
            try file.rootKey(for: folder)
        }

        func rootKeyForNewStore(in folder: PrivateDirectory) throws(RootKeyError) -> any RootKey {
            try file.rootKeyForNewStore(in: folder)
        }

        func rootKey(under keybag: [UInt8], in folder: PrivateDirectory) throws(RootKeyError) -> any RootKey {
            try file.rootKey(under: keybag, in: folder)
        }

        func bytes(of keybag: [UInt8], in folder: PrivateDirectory) throws(RootKeyError) -> SecretBytes {
            try file.bytes(of: keybag, in: folder)
        }

        func makeNext(_ bytes: SecretBytes?, in folder: PrivateDirectory) throws(RootKeyError) -> NextRootKey {
            guard !isFull.load(ordering: .relaxed) else {
                throw .file(.system(call: "write", path: folder.path(of: "root.key"), errno: ENOSPC))
            }
            let next = try file.makeNext(bytes, in: folder)
            pass(.madeNext)
            return next
        }

        func remove(_ next: NextRootKey, in folder: PrivateDirectory) { file.remove(next, in: folder) }

        func hasNext(in folder: PrivateDirectory) -> Bool { file.hasNext(in: folder) }

        func settle(_ keybag: [UInt8], in folder: PrivateDirectory) throws(RootKeyError) {
            pass(.replacedKeybag)
            guard !refusesToSettle.load(ordering: .relaxed) else { throw .missing(path: folder.path) }
            try file.settle(keybag, in: folder)
            pass(.settled)
        }

        func removeKeys(wasInPlace: Bool, in folder: PrivateDirectory) {
            pass(.replacedKeybag)
            file.removeKeys(wasInPlace: wasInPlace, in: folder)
        }
    }
}
