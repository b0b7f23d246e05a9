// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// Makes the bytes of a keybag from keys.
struct KeybagMaker {
    var storeIdentifier: Bytes16
    var owner = StoreOwner.embedded
    var rootKeyKind: RootKeyKind
    var generation: UInt32 = 1
    var passcodeGeneration: UInt32 = 1
    let rootSlot: RootSlot
    var passcode: NewPasscodeSlot?
    /// For which recovery key the keys are sealed as well; `nil` for none.
    var recovery: RecoverySlot.Recipient?

    /// The start of the bytes of a new store: a fresh slot key.
    init(rootKey: any RootKey, _ storeIdentifier: Bytes16) throws(ProtectionError) {
        self.storeIdentifier = storeIdentifier
        rootKeyKind = rootKey.kind
        rootSlot = try RootSlot(fresh: rootKey, storeIdentifier)
    }

    /// The bytes of a keybag that takes the place of another.
    init(successorOf keybag: Keybag, _ rootSlot: RootSlot) {
        storeIdentifier = keybag.storeIdentifier
        owner = keybag.owner
        rootKeyKind = keybag.rootKeyKind
        generation = keybag.generation
        passcodeGeneration = keybag.passcodeGeneration
        recovery = keybag.recoverySlot?.recipient
        self.rootSlot = rootSlot
    }

    /// The bytes, with a key for every purpose that a keybag with or without a passcode has.
    func make(
        _ key: (Keybag.Entry.Purpose) throws(ProtectionError) -> LockedKey
    ) throws(ProtectionError) -> [UInt8] {
        rootSlot.seal(try keybag(key))
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
            slots: [.root(wrappedSlotKey: rootSlot.wrapped)],
            entries: []
        )
        if let passcode { keybag.slots.append(.passcode(passcode.slot)) }
        if let recovery { keybag.slots.append(.recovery(try seal(key, for: recovery))) }
        for purpose in Keybag.purposes(hasPasscode: passcode != nil, hasRecoveryKey: recovery != nil) {
            keybag.entries.append(
                Keybag.Entry(
                    purpose: purpose,
                    slot: purpose.slot(hasPasscode: passcode != nil, owner),
                    generation: keybag.generation(of: purpose) ?? generation,
                    wrappedKey: []
                )
            )
        }
        try wrap(key, in: .root, under: rootSlot.key, into: &keybag)
        if let passcode { try wrap(key, in: .passcode, under: passcode.key.key, into: &keybag) }
        return keybag
    }

    /// Seals every key for the recovery key.
    private func seal(
        _ key: (Keybag.Entry.Purpose) throws(ProtectionError) -> LockedKey,
        for recipient: RecoverySlot.Recipient
    ) throws(ProtectionError) -> RecoverySlot {
        var keys = [rootSlot.key]
        for purpose in Keybag.purposes(hasPasscode: passcode != nil) { keys.append(try key(purpose)) }
        return try recipient.seal(
            keys,
            presharedKey: try key(.recovery),
            RecoverySlot.Use(
                storeIdentifier: storeIdentifier,
                generation: generation,
                passcodeGeneration: passcodeGeneration,
                hasPasscode: passcode != nil
            )
        )
    }

    /// Wraps the keys that are under one slot.
    private func wrap(
        _ key: (Keybag.Entry.Purpose) throws(ProtectionError) -> LockedKey,
        in slot: Keybag.Slot.Kind,
        under slotKey: LockedKey,
        into keybag: inout Keybag
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
