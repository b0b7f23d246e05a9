// SPDX-License-Identifier: Apache-2.0

import Crypto
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

/// A store gets another root key, wherever that and the former one are kept: the states that a replacement can be in.
struct RootKeyReplacementTests {
    private static let passcode = SecretBytes(Array("1234".utf8))
    private static let passcodes: [SecretBytes?] = [nil, passcode]

    private let store: TestStore

    init() throws { store = try TestStore() }

    @Test("a store gets another root key of its kind, and keeps all else that it has", arguments: passcodes)
    func rotation(_ passcode: SecretBytes?) throws {
        let keychain = open()
        try fill(keychain, passcode)
        let key = try keychain.enclave.makeKey(.p256, accessControl: .of(.whenUnlocked, .privateKeyUsage), context: nil)
        try keychain.device.setPolicy(DevicePolicy(autoLockAfterSeconds: 600, eraseAfterFailedAttempts: 7))
        let former = try store.bytes(of: "root.key")
        let keybag = try keychain.movedDevice().keybag
        for _ in 0..<3 {
            let present = try store.bytes(of: "root.key")
            try keychain.maintenance.replaceRootKey(passcode: passcode)
            #expect(try store.bytes(of: "root.key") != present)
            #expect(try fileNames == ["root.key"])
            for keychain in [keychain, open()] {
                if let passcode { try keychain.device.unlock(passcode: passcode) }
                #expect(keychain.secret("anna") == .secret("secret of anna"))
                #expect(try keychain.check().isSound)
                #expect(throws: Never.self) { try keychain.enclave.sign(key) }
                #expect(try keychain.device.status().policy.eraseAfterFailedAttempts == 7)
            }
        }
        var status = stat()
        #expect(stat(store.file("root.key"), &status) == 0 && status.st_mode & 0o777 == 0o600)
        // Neither in the store nor in its log.
        let code = Data(keybag.suffix(32))
        #expect(try !store.contents().values.contains { $0.range(of: code) != nil })
        try store.write(former, to: "root.key")
        #expect(open().failure()?.kind == .keys(.wrongRootKey))
    }

    @Test("without a passcode in the way the keychain is usable at once, and with one it is unlocked here alone")
    func lockStates() throws {
        let (here, there) = (open(), open())
        try fill(here, Self.passcode)
        try there.device.unlock(passcode: Self.passcode)
        #expect(there.secret("anna") == .secret("secret of anna"))
        let mark = try store.bytes(of: LockMark.fileName)
        try here.maintenance.replaceRootKey(passcode: Self.passcode)
        #expect(try store.bytes(of: LockMark.fileName) != mark)
        #expect(here.secret("anna") == .secret("secret of anna"))
        #expect(there.secret("anna") == .failed(.interactionNotAllowed))
        #expect(there.secret("always") == .secret("secret of always"))
        try there.device.unlock(passcode: Self.passcode)
        #expect(there.secret("anna") == .secret("secret of anna"))
    }

    @Test("the passcode is right in a program that was open before another one replaced the root key")
    func passcodeOfOthers() throws {
        let (here, there) = (open(), open())
        try fill(here, Self.passcode)
        try here.device.setPolicy(DevicePolicy(eraseAfterFailedAttempts: 1))
        // It reads before, and makes no other call than the unlock afterwards.
        #expect(there.secret("always") == .secret("secret of always"))
        try here.maintenance.replaceRootKey(passcode: Self.passcode)
        try there.device.unlock(passcode: Self.passcode)
        #expect(there.secret("anna") == .secret("secret of anna"))
        #expect(try there.device.status().failedAttempts == 0)
    }

    @Test("what a root key is replaced by depends on the one that the store has now, not on the one it was opened with")
    func presentKind() throws {
        let sources = RootKeySources(RootKeyFile(), try Chip())
        let (here, there) = (open(sources), open(sources))
        try fill(here, nil)
        #expect(try there.maintenance.rootKeyStatus().kind == .software)
        try here.maintenance.replaceRootKey(.tpm, passcode: nil)
        #expect(try there.maintenance.rootKeyStatus().kind == .tpm)
        // A chip has no other key for the store.
        #expect(throws: KeychainError.self) { try there.maintenance.replaceRootKey(passcode: nil) }
        #expect(try here.maintenance.rootKeyStatus().kind == .tpm)
    }

    @Test("a store gets a root key of another kind and one of the former kind again", arguments: passcodes)
    func otherKinds(_ passcode: SecretBytes?) throws {
        let chip = try Chip()
        let sources = RootKeySources(RootKeyFile(), chip)
        let keychain = open(sources)
        try fill(keychain, passcode)
        let former = try store.bytes(of: "root.key")
        #expect(try keychain.maintenance.rootKeyStatus().replacements == [.software, .tpm])
        try keychain.maintenance.replaceRootKey(.tpm, passcode: passcode)
        #expect(try fileNames == [RootKeySettings.fileName])
        let status = try keychain.maintenance.rootKeyStatus()
        // A chip has one key for whatever store.
        #expect(status == RootKeyStatus(kind: .tpm, replacements: [.software]))
        #expect(open().failure()?.kind == .keys(.unsupportedRootKey))
        #expect(open(RootKeySources(try Chip(), RootKeyFile())).failure()?.kind == .keys(.wrongRootKey))
        try expectWhole(open(RootKeySources(chip)), passcode)

        let refusal = #expect(throws: KeychainError.self) {
            try keychain.maintenance.replaceRootKey(passcode: passcode)
        }
        #expect(refusal?.kind == .keys(.unsupportedRootKey))
        try keychain.maintenance.replaceRootKey(.software, passcode: passcode)
        #expect(try fileNames == ["root.key"])
        #expect(try store.bytes(of: "root.key") != former)
        try expectWhole(open(), passcode)
    }

    @Test(
        "keys of a source that keeps none in files are replaced, and the former one is destroyed",
        arguments: passcodes
    )
    func otherSource(_ passcode: SecretBytes?) throws {
        let (safe, chip) = (Safe(), try Chip())
        let keychain = open(RootKeySources(safe, chip))
        try fill(keychain, passcode)
        let first = safe.keys.withLock(\.self)
        try keychain.maintenance.replaceRootKey(passcode: passcode)
        let second = safe.keys.withLock(\.self)
        #expect(second.keys.sorted() == [Safe.inPlace] && second != first)
        try expectWhole(open(RootKeySources(safe)), passcode)
        #expect(try keychain.maintenance.rootKeyStatus().path == nil)
        try keychain.maintenance.replaceRootKey(.tpm, passcode: passcode)
        let left = safe.keys.withLock(\.self)
        #expect(left.isEmpty)
        try expectWhole(open(RootKeySources(chip)), passcode)
        #expect(try fileNames == [RootKeySettings.fileName])
    }

    @Test("a wrong passcode, none, and one too many change nothing; a wrong one is counted")
    func wrongPasscodes() throws {
        let keychain = open()
        try fill(keychain, nil)
        let former = try store.bytes(of: "root.key")
        func refusal(_ passcode: SecretBytes?) -> KeychainError? {
            #expect(throws: KeychainError.self) { try keychain.maintenance.replaceRootKey(passcode: passcode) }
        }
        #expect(refusal(Self.passcode)?.kind == .device(.noPasscode))
        try keychain.device.setPasscode(Self.passcode)
        #expect(keychain.add("with passcode", "secret", with: ["pdmn": .string("akpu")]) == .done)
        #expect(refusal(nil)?.status == .authenticationFailed)
        #expect(try keychain.device.status().failedAttempts == 0)
        #expect(refusal(SecretBytes([9]))?.status == .authenticationFailed)
        #expect(try keychain.device.status().failedAttempts == 1)
        #expect(try store.bytes(of: "root.key") == former)
        #expect(try fileNames == ["root.key"])
        try keychain.maintenance.replaceRootKey(passcode: Self.passcode)
        #expect(try keychain.device.status().failedAttempts == 0)
        try expectWhole(open(), Self.passcode)
    }

    @Test("a kind that no source keeps, a keychain in memory and one that is not there yet are refused")
    func refused() throws {
        let missing = #expect(throws: KeychainError.self) {
            try open().maintenance.replaceRootKey(passcode: nil)
        }
        #expect(missing?.status == .notAvailable)
        #expect(try open().maintenance.rootKeyStatus() == RootKeyStatus())
        #expect(access(store.path, F_OK) != 0)
        let memory = EmbeddedKeychain.inMemory()
        #expect(memory.add("anna", "secret") == .done)
        #expect(throws: KeychainError.self) { try memory.maintenance.replaceRootKey(passcode: nil) }
        #expect(try memory.maintenance.rootKeyStatus() == RootKeyStatus())

        let keychain = open()
        try fill(keychain, nil)
        let before = try contents
        for kind in [.tpm, .systemdCredential, .published, RootKeyKind(rawValue: 99)] as [RootKeyKind] {
            let refusal = #expect(throws: KeychainError.self) {
                try keychain.maintenance.replaceRootKey(kind, passcode: nil)
            }
            #expect(refusal?.status == .notAvailable && refusal?.kind == .keys(.unsupportedRootKey))
        }
        #expect(try contents == before)
        #expect(
            try keychain.maintenance.rootKeyStatus()
                == RootKeyStatus(kind: .software, path: store.file("root.key"), replacements: [.software])
        )
    }

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

    // MARK: Keychains

    /// Every file, but for the lock of whoever tries a passcode.
    private var contents: [String: Data] {
        get throws { try store.contents().filter { $0.key != "attempt.lock" } }
    }

    private var fileNames: [String] {
        get throws {
            try store.contents().keys.filter { $0.hasPrefix("root") || $0.hasPrefix("replacement") }.sorted()
        }
    }

    private func open(_ sources: RootKeySources = RootKeySources(), at store: TestStore? = nil) -> EmbeddedKeychain {
        var device = DeviceOptions()
        device.passwordWork = .minimum
        device.rootKeys = sources
        return EmbeddedKeychain(at: KeychainLocation(path: (store ?? self.store).path), device: device)
    }

    private func fill(_ keychain: EmbeddedKeychain, _ passcode: SecretBytes?) throws {
        #expect(keychain.add("always", "secret of always", with: ["pdmn": .string("dku")]) == .done)
        if let passcode {
            try keychain.device.setPasscode(passcode)
            #expect(keychain.add("with passcode", "secret", with: ["pdmn": .string("akpu")]) == .done)
        }
        #expect(keychain.add("anna", "secret of anna") == .done)
    }

    private func expectWhole(
        _ keychain: EmbeddedKeychain,
        _ passcode: SecretBytes?,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        #expect(keychain.secret("always") == .secret("secret of always"), sourceLocation: sourceLocation)
        if let passcode {
            #expect(keychain.secret("anna") == .failed(.interactionNotAllowed), sourceLocation: sourceLocation)
            try keychain.device.unlock(passcode: passcode)
            #expect(keychain.secret("with passcode") == .secret("secret"), sourceLocation: sourceLocation)
        }
        #expect(keychain.secret("anna") == .secret("secret of anna"), sourceLocation: sourceLocation)
        #expect(try keychain.check().isSound, sourceLocation: sourceLocation)
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
