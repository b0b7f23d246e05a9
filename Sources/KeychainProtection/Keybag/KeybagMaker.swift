// SPDX-License-Identifier: Apache-2.0

import Crypto
import KeychainCore

/// Makes the bytes of a keybag from keys.
struct KeybagMaker {
    var storeIdentifier: Bytes16
    var generation: UInt32 = 1
    var passcodeGeneration: UInt32 = 1
    /// The key of the root key's slot, and the same wrapped by the root key.
    var rootSlotKey: LockedKey
    var wrappedRootSlotKey: [UInt8]
    var passcode: NewPasscodeSlot?

    /// What the bytes of a new store begin with: a fresh slot key.
    init(rootKey: any RootKey, random: any RandomSource) throws(ProtectionError) {
        let slotKey = SymmetricKey.random()
        storeIdentifier = random.bytes16()
        rootSlotKey = try LockedMemory(keyCapacity: 1).store(slotKey)
        wrappedRootSlotKey = try rootKey.wrap(slotKey)
    }

    /// The bytes of a keybag that takes the place of another.
    init(successorOf keybag: Keybag, _ rootSlotKey: LockedKey, _ wrappedRootSlotKey: [UInt8]) {
        storeIdentifier = keybag.storeIdentifier
        generation = keybag.generation
        passcodeGeneration = keybag.passcodeGeneration
        self.rootSlotKey = rootSlotKey
        self.wrappedRootSlotKey = wrappedRootSlotKey
    }

    /// The bytes, with a key for every purpose that a keybag with or without a passcode has.
    func make(
        _ key: (Keybag.Entry.Purpose) throws(ProtectionError) -> LockedKey
    ) throws(ProtectionError) -> [UInt8] {
        var keybag = Keybag(
            storeIdentifier: storeIdentifier,
            generation: generation,
            passcodeGeneration: passcodeGeneration,
            slots: [.root(wrappedSlotKey: wrappedRootSlotKey)],
            entries: []
        )
        if let passcode { keybag.slots.append(.passcode(passcode.slot)) }
        for purpose in Keybag.purposes(hasPasscode: passcode != nil) {
            let slot = purpose.slot(hasPasscode: passcode != nil)
            let slotKey = slot == .passcode ? passcode?.key.key : nil
            let wrapping = KeyWrapping(version: keybag.version, slotKey: slotKey ?? rootSlotKey)
            let generation = keybag.generation(of: purpose) ?? generation
            keybag.entries.append(
                Keybag.Entry(
                    purpose: purpose,
                    slot: slot,
                    generation: generation,
                    wrappedKey: try wrapping.wrap(try key(purpose), purpose, generation)
                )
            )
        }
        return rootSlotKey.withKey { slotKey in
            KeybagCodec.seal(keybag, authenticationKey: Keybag.authenticationKey(of: slotKey))
        }
    }
}

extension Keybag {
    /// The key of a keybag's code: from the root key's slot, so that a locked device can check it.
    static func authenticationKey(of rootSlotKey: SymmetricKey) -> SymmetricKey {
        KeyDerivation.derive("keybag authentication", from: rootSlotKey)
    }
}
