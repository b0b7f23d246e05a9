// SPDX-License-Identifier: Apache-2.0

import Crypto
import KeychainCore

/// What a keybag has by the root key alone: the key of its root slot, which also authenticates the keybag.
struct RootSlot: Sendable {
    /// The key of the slot.
    let key: LockedKey
    /// The same, wrapped by the root key.
    let wrapped: [UInt8]
    /// The digest of the settings by which the root key is found; `nil` for a root key that has none.
    let settingsDigest: SHA256Digest?

    /// A slot.
    init(_ key: LockedKey, wrapped: [UInt8], _ settingsDigest: SHA256Digest?) {
        self.key = key
        self.wrapped = wrapped
        self.settingsDigest = settingsDigest
    }

    /// The slot of a new store: a fresh key.
    init(fresh rootKey: any RootKey, _ storeIdentifier: Bytes16) throws(ProtectionError) {
        let slotKey = SymmetricKey.random()
        self.init(
            try LockedMemory(keyCapacity: 1).store(slotKey),
            wrapped: try rootKey.wrap(slotKey, for: storeIdentifier),
            rootKey.settingsDigest
        )
    }

    /// The same slot under another root key.
    func rewrapped(under rootKey: any RootKey, _ storeIdentifier: Bytes16) throws(ProtectionError) -> RootSlot {
        let wrapped = try key.withKey { slotKey throws(ProtectionError) in
            try rootKey.wrap(slotKey, for: storeIdentifier)
        }
        return RootSlot(key, wrapped: wrapped, rootKey.settingsDigest)
    }

    /// The bytes of a keybag, with its code.
    func seal(_ keybag: Keybag) -> [UInt8] {
        key.withKey { slotKey in
            KeybagCodec.seal(keybag, authenticationKey: keybag.authenticationKey(of: slotKey, settingsDigest))
        }
    }
}

extension AuthenticatedBytes<Keybag> {
    /// The root slot, once the code over the keybag was found right.
    ///
    /// - Throws: ``ProtectionError/wrongRootKey``, also for a root key that was found by other settings;
    ///   ``ProtectionError/damagedKeybag(_:)``.
    func rootSlot(under rootKey: any RootKey) throws(ProtectionError) -> RootSlot {
        guard let wrapped = contents.wrappedRootSlotKey else {
            throw .damagedKeybag("it has no slot for the root key")
        }
        let slotKey = try rootKey.unwrap(wrapped, for: contents.storeIdentifier)
        let digest = rootKey.settingsDigest
        guard isAuthentic(under: contents.authenticationKey(of: slotKey, digest)) else {
            // Another process may have given the store a root key by other settings.
            throw digest == nil ? .damagedKeybag("its authentication code is wrong") : .wrongRootKey
        }
        return RootSlot(try LockedMemory(keyCapacity: 1).store(slotKey), wrapped: wrapped, digest)
    }
}

extension Keybag {
    /// The key of a keybag's code: from the root key's slot, so that a locked device can check it, and from the
    /// settings of the root key.
    fileprivate func authenticationKey(of rootSlotKey: SymmetricKey, _ settings: SHA256Digest?) -> SymmetricKey {
        let context = storeIdentifier.bytes + (settings.map(Array.init) ?? [])
        return KeyDerivation.derive("keybag authentication", from: rootSlotKey, context: context)
    }
}
