// SPDX-License-Identifier: Apache-2.0

import Crypto
import Foundation
import HostFiles
import KeychainCore
import KeychainEngine
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
        chip = Chip(key: ChipKey(key: try .ephemeral()))
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

    private func open(_ sources: RootKeySources, _ options: StoreOptions = StoreOptions()) -> EmbeddedKeychain {
        var device = DeviceOptions()
        device.rootKeys = sources
        let location = KeychainLocation(path: folder.path(of: "keychain"))
        return EmbeddedKeychain(at: location, options: options, device: device)
    }

    /// Keeps one key, for whatever store.
    private struct Chip: RootKeySource {
        let key: ChipKey

        var kind: RootKeyKind { key.kind }

        func rootKey(for folder: PrivateDirectory) -> any RootKey { key }

        func rootKeyForNewStore(in folder: PrivateDirectory) -> any RootKey { key }
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

    private struct ChipKey: RootKey {
        let key: SoftwareRootKey

        var kind: RootKeyKind { .tpm }

        func wrap(_ key: SymmetricKey, for store: Bytes16) throws(ProtectionError) -> [UInt8] {
            try self.key.wrap(key, for: store)
        }

        func unwrap(_ wrapped: [UInt8], for store: Bytes16) throws(ProtectionError) -> SymmetricKey {
            try key.unwrap(wrapped, for: store)
        }

        func entangle(_ input: SecretBytes, for store: Bytes16) throws(ProtectionError) -> SymmetricKey {
            try key.entangle(input, for: store)
        }
    }
}
