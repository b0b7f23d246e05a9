// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import KeychainEngine
import KeychainTestSupport
import Testing

@testable import KeychainProtection

/// Stores that are not this process's to open, or whose root key it cannot use: errSecNotAvailable with what to do, and
/// nothing is made or changed.
struct StoreOwnerTests {
    private let store: TestStore
    private let rootKey: SoftwareRootKey

    init() throws {
        store = try TestStore()
        #expect(store.open().add("anna", "secret") == .done)
        let bytes = try store.bytes(of: "root.key")
        let made = bytes.withUnsafeBytes { bytes in
            Result { () throws(ProtectionError) in try SoftwareRootKey(bytes) }
        }
        rootKey = try made.get()
    }

    /// Writes what the new owner of the store would write.
    private func forge(_ change: (inout Keybag) -> Void) throws {
        let open = try OpenKeybag(try #require(try store.raw().run("SELECT bytes FROM keybag")[0]), rootKey: rootKey)
        var keybag = open.keybag
        change(&keybag)
        try store.raw().run("UPDATE keybag SET bytes = ?", [open.rootSlot.seal(keybag)])
        try store.raw().execute("UPDATE device SET keybag_revision = keybag_revision + 1")
    }

    private func expectRefusal(_ keychain: EmbeddedKeychain, _ advice: String) throws {
        let before = try store.contents()
        let failure = try #require(keychain.failure())
        #expect(failure.status == .notAvailable)
        #expect(failure.reason.contains(advice), "\(failure.reason)")
        #expect(keychain.add("bert", "secret") == .failed(.notAvailable))
        #expect(keychain.delete("anna") == .failed(.notAvailable))
        #expect(throws: KeychainError.self) { try keychain.device.setPasscode(SecretBytes([1])) }
        #expect(throws: KeychainError.self) { try keychain.check() }
        var after = try store.contents()
        // The empty file by which tries of a passcode take turns; a process that has the store open makes it before it
        // looks.
        after["attempt.lock"] = before["attempt.lock"]
        let isUnchanged = after == before
        #expect(isUnchanged)
    }

    @Test(
        "the store of the daemon, or of an unknown owner, is refused, whether its root key can be read or not",
        arguments: [(2, "through the daemon"), (3, "through the daemon"), (7, "update")] as [(UInt8, String)],
        [true, false]
    )
    func foreignOwner(_ owner: (number: UInt8, advice: String), _ hasRootKey: Bool) throws {
        try forge { $0.owner = StoreOwner(rawValue: owner.number) }
        if !hasRootKey { try FileManager.default.removeItem(atPath: store.file("root.key")) }
        try expectRefusal(store.open(), owner.advice)
    }

    @Test("a store that is handed over to the daemon is closed at the next call")
    func madeOver() throws {
        let keychain = store.open()
        #expect(keychain.secret("anna") == .secret("secret"))
        try forge { $0.owner = .daemon }
        try expectRefusal(keychain, "through the daemon")
        try expectRefusal(keychain, "through the daemon")
    }

    @Test(
        "a root key in a TPM, in a credential or of an unknown kind is said to be one",
        arguments: [(2, "TPM 2.0"), (3, "systemd credential"), (9, "unknown kind 9")] as [(UInt8, String)],
        [true, false]
    )
    func otherKinds(_ kind: (number: UInt8, name: String), _ hasRootKey: Bool) throws {
        try forge { $0.rootKeyKind = RootKeyKind(rawValue: kind.number) }
        if !hasRootKey { try FileManager.default.removeItem(atPath: store.file("root.key")) }
        try expectRefusal(store.open(), kind.name)
    }
}
