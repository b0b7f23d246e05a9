// SPDX-License-Identifier: Apache-2.0

import Crypto
import KeychainCore

/// Makes the bytes of a keybag from keys.
struct KeybagMaker {
    var storeIdentifier: Bytes16
    var owner = StoreOwner.embedded
    var rootKeyKind: RootKeyKind
    var generation: UInt32 = 1
    var passcodeGeneration: UInt32 = 1
    /// The key of the root key's slot, and the same wrapped by the root key.
    var rootSlotKey: LockedKey
    var wrappedRootSlotKey: [UInt8]
    var passcode: NewPasscodeSlot?

    /// The start of the bytes of a new store: a fresh slot key.
    init(rootKey: any RootKey, _ storeIdentifier: Bytes16) throws(ProtectionError) {
        let slotKey = SymmetricKey.random()
        self.storeIdentifier = storeIdentifier
        rootKeyKind = rootKey.kind
        rootSlotKey = try LockedMemory(keyCapacity: 1).store(slotKey)
        wrappedRootSlotKey = try rootKey.wrap(slotKey, for: storeIdentifier)
    }

    /// The bytes of a keybag that replaces another.
    init(successorOf keybag: Keybag, _ rootSlotKey: LockedKey, _ wrappedRootSlotKey: [UInt8]) {
        storeIdentifier = keybag.storeIdentifier
        owner = keybag.owner
        rootKeyKind = keybag.rootKeyKind
        generation = keybag.generation
        passcodeGeneration = keybag.passcodeGeneration
        self.rootSlotKey = rootSlotKey
        self.wrappedRootSlotKey = wrappedRootSlotKey
    }

    /// The bytes, with a key for every purpose that a keybag with or without a passcode has.
    func make(
        _ key: (Keybag.Entry.Purpose) throws(ProtectionError) -> LockedKey
    ) throws(ProtectionError) -> [UInt8] {
        seal(try keybag(key))
    }

    /// The same before it is sealed.
    func keybag(
        _ key: (Keybag.Entry.Purpose) throws(ProtectionError) -> LockedKey
    ) throws(ProtectionError) -> Keybag {
        var keybag = Keybag(
            storeIdentifier: storeIdentifier,
            owner: owner,
            rootKeyKind: rootKeyKind,
            generation: generation,
            passcodeGeneration: passcodeGeneration,
            slots: [.root(wrappedSlotKey: wrappedRootSlotKey)],
            entries: []
        )
        if let passcode { keybag.slots.append(.passcode(passcode.slot)) }
        for purpose in Keybag.purposes(hasPasscode: passcode != nil) {
            keybag.entries.append(
                Keybag.Entry(
                    purpose: purpose,
                    slot: purpose.slot(hasPasscode: passcode != nil, owner),
                    generation: keybag.generation(of: purpose) ?? generation,
                    wrappedKey: []
                )
            )
        }
        try wrap(key, .root, rootSlotKey, &keybag)
        if let passcode { try wrap(key, .passcode, passcode.key.key, &keybag) }
        return keybag
    }

    /// The bytes of a keybag.
    func seal(_ keybag: Keybag) -> [UInt8] {
        rootSlotKey.withKey { slotKey in
            KeybagCodec.seal(keybag, authenticationKey: keybag.authenticationKey(of: slotKey))
        }
    }

    /// Wraps the keys that are under one slot.
    private func wrap(
        _ key: (Keybag.Entry.Purpose) throws(ProtectionError) -> LockedKey,
        _ slot: Keybag.Slot.Kind,
        _ slotKey: LockedKey,
        _ keybag: inout Keybag
    ) throws(ProtectionError) {
        let places = keybag.entries.indices.filter { keybag.entries[$0].slot == slot }
        var keys: [(KeyWrapping.Use, LockedKey)] = []
        for place in places {
            let entry = keybag.entries[place]
            keys.append(((entry.purpose, entry.generation), try key(entry.purpose)))
        }
        let wrapped = try KeyWrapping(storeIdentifier: storeIdentifier, slotKey: slotKey).wrap(keys)
        for (place, bytes) in zip(places, wrapped) { keybag.entries[place].wrappedKey = bytes }
    }
}

extension Keybag {
    /// The key of a keybag's code: from the root key's slot, so that a locked device can check it.
    func authenticationKey(of rootSlotKey: SymmetricKey) -> SymmetricKey {
        KeyDerivation.derive("keybag authentication", from: rootSlotKey, context: storeIdentifier.bytes)
    }
}
