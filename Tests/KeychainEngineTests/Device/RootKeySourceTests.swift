// SPDX-License-Identifier: Apache-2.0

import Crypto
import Foundation
import HostFiles
import KeychainCore
import KeychainEngine
import KeychainProtection
import KeychainTestSupport
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

    private func open(_ sources: RootKeySources) -> EmbeddedKeychain {
        var device = DeviceOptions()
        device.rootKeys = sources
        return EmbeddedKeychain(at: KeychainLocation(path: folder.path(of: "keychain")), device: device)
    }

    /// Keeps one key, for whatever store.
    private struct Chip: RootKeySource {
        let key: ChipKey

        var kind: RootKeyKind { key.kind }

        func rootKey(for folder: PrivateDirectory) -> any RootKey { key }

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
