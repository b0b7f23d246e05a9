// SPDX-License-Identifier: Apache-2.0

import Crypto
import Foundation
import KeychainCore
import KeychainEngine
import KeychainHost
import KeychainProtection
import KeychainStore
import KeychainTestSupport
import Synchronization
import Testing

/// Root keys that are kept elsewhere than in a file.
struct RootKeySourceTests {
    private let folder: TemporaryFolder
    private let chip: Chip

    init() throws {
        folder = try TemporaryFolder()
        chip = try Chip()
    }

    @Test("a new store has its root key where it is best kept, and no file of it")
    func newStore() throws {
        #expect(open(RootKeySources(chip)).add("anna", "secret") == .done)
        #expect(!FileManager.default.fileExists(atPath: folder.path(of: "keychain/\(RootKeyFile.name)")))
        #expect(open(RootKeySources(chip, RootKeyFile())).secret("anna") == .secret("secret"))
        #expect(open(RootKeySources(RootKeyFile(), chip)).secret("anna") == .secret("secret"))
    }

    @Test("a store whose root key has no source here is refused, and stays as it is")
    func noSource() throws {
        #expect(open(RootKeySources(chip)).add("anna", "secret") == .done)
        #expect(open(RootKeySources()).secret("anna") == .failed(.notAvailable))
        #expect(open(RootKeySources(chip)).secret("anna") == .secret("secret"))
    }

    @Test(
        "a store whose device is replaced time and again while it is opened is opened in the end",
        arguments: [false, true]
    )
    func replacedWhileOpening(_ makesChangesTogether: Bool) throws {
        #expect(open(RootKeySources()).add("anna", "secret") == .done)
        let source = ReplacingSource(location: KeychainLocation(path: folder.path(of: "keychain")), replacements: 9)
        let options = StoreOptions(makesChangesTogether: makesChangesTogether)
        #expect(open(RootKeySources(source), options).add("bert", "secret") == .done)
        #expect(source.left.withLock(\.self) == 0)
        #expect(open(RootKeySources()).secret("anna") == .failed(.itemNotFound))
        #expect(open(RootKeySources()).secret("bert") == .secret("secret"))
    }

    @Test("a store under another root key is refused after it was opened twice")
    func foreignKey() throws {
        #expect(open(RootKeySources()).add("anna", "secret") == .done)
        let source = ForeignSource(key: try .ephemeral())
        #expect(open(RootKeySources(source)).secret("anna") == .failed(.notAvailable))
        #expect(source.calls.withLock(\.self) == 2)
    }

    @Test("a backup is restored with a root key where the device keeps its own, and no file of it")
    func restoredBackup() throws {
        let secret = SecretBytes(Array("correct horse".utf8))
        let backup = folder.path(of: "backup")
        let original = try TemporaryFolder()
        let location = KeychainLocation(path: original.path(of: "keychain"))
        let keychain = EmbeddedKeychain(at: location, device: Self.device(RootKeySources()))
        #expect(keychain.add("anna", "secret") == .done)
        _ = try keychain.createBackup(at: backup, secret: secret)
        let restored = EmbeddedKeychain(at: self.location, device: Self.device(RootKeySources(chip, RootKeyFile())))
        _ = try restored.perform(.maintenance(.restoreBackup(RestoreRequest(from: .path(backup), secret: secret))))
        #expect(!FileManager.default.fileExists(atPath: folder.path(of: "keychain/\(RootKeyFile.name)")))
        #expect(FileManager.default.fileExists(atPath: folder.path(of: "keychain/\(RootKeySettings.fileName)")))
        #expect(open(RootKeySources(chip)).secret("anna") == .secret("secret"))
        #expect(open(RootKeySources()).secret("anna") == .failed(.notAvailable))
    }

    @Test("a keychain whose root key cannot be taken out is not moved, and stays as it is")
    func immovable() throws {
        let keychain = open(RootKeySources(chip))
        #expect(keychain.add("anna", "secret") == .done)
        for move in [{ _ = try keychain.movedDevice() }, { _ = try keychain.movedRows() }] as [() throws -> Void] {
            let error = #expect(throws: KeychainError.self) { try move() }
            #expect(error?.kind == .keys(.unsupportedRootKey))
        }
        #expect(keychain.secret("anna") == .secret("secret"))
    }

    @Test("a store gets another root key, and has it put in place, wherever keys that can be replaced are kept")
    func replaceable() throws {
        let safe = Safe()
        let keychain = open(RootKeySources(safe))
        #expect(keychain.add("anna", "secret") == .done)
        let first = safe.keys.withLock(\.self)
        #expect(first.count == 1)
        #expect(try keychain.movedDevice().rootKey == first[Safe.inPlace])
        try keychain.empty(owner: .embedded, ifCopied: keychain.movedCopy())
        let second = safe.keys.withLock(\.self)
        #expect(second.keys.sorted() == [Safe.inPlace] && second != first)
        #expect(open(RootKeySources(safe)).secret("anna") == .failed(.itemNotFound))
        #expect(open(RootKeySources(safe)).add("bert", "secret") == .done)
        #expect(!FileManager.default.fileExists(atPath: folder.path(of: "keychain/\(RootKeyFile.name)")))
        // One that a process left which was killed in the midst is removed.
        safe.keys.withLock { $0["next"] = SecretBytes([UInt8](repeating: 7, count: 32)) }
        let device = Self.device(RootKeySources(safe))
        #expect(try EmbeddedKeychain.hasRemains(at: location, device))
        try EmbeddedKeychain.discardRemains(at: location, device)
        #expect(try !EmbeddedKeychain.hasRemains(at: location, device))
        #expect(open(RootKeySources(safe)).secret("bert") == .secret("secret"))
    }

    private var location: KeychainLocation { KeychainLocation(path: folder.path(of: "keychain")) }

    private func open(_ sources: RootKeySources, _ options: StoreOptions = StoreOptions()) -> EmbeddedKeychain {
        EmbeddedKeychain(at: location, options: options, device: Self.device(sources))
    }

    private static func device(_ sources: RootKeySources) -> DeviceOptions {
        var device = DeviceOptions()
        device.passwordWork = .testing
        device.rootKeys = sources
        return device
    }

    /// Has another program replace the device of the store between the two looks at keybag and root key.
    private final class ReplacingSource: RootKeySource {
        let left: Mutex<Int>
        private let location: KeychainLocation

        init(location: KeychainLocation, replacements: Int) {
            self.location = location
            left = Mutex(replacements)
        }

        var kind: RootKeyKind { .software }

        func rootKey(for folder: PrivateDirectory) throws(RootKeyError) -> any RootKey {
            let key = try RootKeyFile().rootKey(for: folder)
            let replaces = left.withLock { left in
                defer { left = max(0, left - 1) }
                return left > 0
            }
            if replaces {
                let other = EmbeddedKeychain(at: location)
                #expect(throws: Never.self) { try other.empty(owner: .embedded, ifCopied: other.movedCopy()) }
            }
            return key
        }

        func rootKeyForNewStore(in folder: PrivateDirectory) throws(RootKeyError) -> any RootKey {
            try RootKeyFile().rootKeyForNewStore(in: folder)
        }
    }

    /// Has the root key of another store.
    private final class ForeignSource: RootKeySource {
        let calls = Mutex(0)
        private let key: SoftwareRootKey

        init(key: SoftwareRootKey) { self.key = key }

        var kind: RootKeyKind { .software }

        func rootKey(for folder: PrivateDirectory) -> any RootKey {
            calls.withLock { $0 += 1 }
            return key
        }

        func rootKeyForNewStore(in folder: PrivateDirectory) -> any RootKey { key }
    }
}
