// SPDX-License-Identifier: Apache-2.0

import Crypto
import KeychainCore

/// The keys of a store, each wrapped: what lies in the file (Documentation/Format.md, "Keybag").
///
/// A slot is a way to get at keys: today only the root key alone. An entry is one key, wrapped under one slot.
struct Keybag: Sendable {
    static let version = 1

    /// Which store the keys belong to.
    var storeIdentifier: Bytes16

    /// Counts up when class keys are replaced; rows name the generation that sealed them.
    var generation: UInt32

    var slots: [Slot]
    var entries: [Entry]

    struct Slot: Sendable, Hashable {
        var kind: Kind
        var wrappedSlotKey: [UInt8]

        /// By what a slot's key is wrapped.
        enum Kind: UInt8, Sendable {
            case root = 1
        }
    }

    struct Entry: Sendable, Hashable {
        var purpose: Purpose
        var slot: Slot.Kind
        var generation: UInt32
        var wrappedKey: [UInt8]

        enum Purpose: Sendable, Hashable {
            case classKey(Accessibility)
            case metadataKey(Accessibility)
            case index
        }
    }

    /// The protection classes that have keys on a device without a passcode: all but `akpu`, and never "until reboot".
    static let classesWithoutPasscode: [Accessibility] = [
        .whenUnlocked, .afterFirstUnlock, .always, .whenUnlockedThisDeviceOnly, .afterFirstUnlockThisDeviceOnly,
        .alwaysThisDeviceOnly,
    ]
}

extension Keybag {
    /// Makes the keys of a new store and wraps them, sealed with their authentication code.
    static func create(
        storeIdentifier: Bytes16,
        rootKey: any RootKey
    ) throws(ProtectionError) -> [UInt8] {
        let slotKey = SymmetricKey(size: .bits256)
        let wrappingKey = KeyDerivation.derive("keybag wrapping", from: slotKey)
        var purposes: [Entry.Purpose] = [.index]
        for accessibility in classesWithoutPasscode {
            purposes += [.classKey(accessibility), .metadataKey(accessibility)]
        }
        var entries: [Entry] = []
        for purpose in purposes {
            let wrapped = try KeyWrap.wrap(SymmetricKey(size: .bits256), under: wrappingKey)
            entries.append(Entry(purpose: purpose, slot: .root, generation: 1, wrappedKey: wrapped))
        }
        let keybag = Keybag(
            storeIdentifier: storeIdentifier,
            generation: 1,
            slots: [Slot(kind: .root, wrappedSlotKey: try rootKey.wrap(slotKey))],
            entries: entries
        )
        return KeybagCodec.seal(keybag, authenticationKey: authenticationKey(of: slotKey))
    }

    /// Authenticates a keybag before anything in it is believed, and unwraps its keys.
    static func open(_ bytes: [UInt8], rootKey: any RootKey) throws(ProtectionError) -> ClassKeys {
        let parsed = try KeybagCodec.parse(bytes)
        guard let slot = parsed.keybag.slots.first(where: { $0.kind == .root }) else {
            throw .damagedKeybag("it has no slot for the root key")
        }
        let slotKey = try rootKey.unwrap(slot.wrappedSlotKey)
        guard parsed.isAuthentic(under: authenticationKey(of: slotKey)) else {
            throw .damagedKeybag("its authentication code is wrong")
        }
        return try ClassKeys(parsed.keybag, wrappingKey: KeyDerivation.derive("keybag wrapping", from: slotKey))
    }

    private static func authenticationKey(of slotKey: SymmetricKey) -> SymmetricKey {
        KeyDerivation.derive("keybag authentication", from: slotKey)
    }
}
