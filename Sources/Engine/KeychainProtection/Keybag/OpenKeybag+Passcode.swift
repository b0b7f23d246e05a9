// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// The keybags that replace this one when a passcode is set, changed or removed.
///
/// Class keys are the same in all of them, so no row changes. No key is derived from a passcode here, so that
/// everything is fast enough for a transaction.
extension OpenKeybag {
    /// Unwraps the keys under the passcode slot.
    ///
    /// - Throws: ``ProtectionError/noPasscode``; ``ProtectionError/otherSlot`` for the key of another slot;
    ///   ``ProtectionError/damagedKeybag(_:)``, also for a handed-over key of another slot;
    ///   ``ProtectionError/noMemory``.
    package func unlock(with key: SlotKey) throws(ProtectionError) -> UnlockedKeys {
        guard let passcodeSlot else { throw .noPasscode }
        if let slot = key.slot, slot != passcodeSlot { throw .otherSlot }
        let wrapping = KeyWrapping(storeIdentifier: storeIdentifier, slotKey: key.key)
        let entries = keybag.entries.filter { $0.slot == .passcode }
        return UnlockedKeys(
            keybag.keyOwner,
            outlivingLock: try StoreKeys(entries.filter { $0.purpose.outlivesLock }, wrapping),
            untilLock: try StoreKeys(entries.filter { !$0.purpose.outlivesLock }, wrapping)
        )
    }

    /// The bytes of the keybag with a first passcode.
    ///
    /// `akpu` gets fresh keys, and from now on all classes except those that are always available require the passcode.
    ///
    /// - Throws: ``ProtectionError/classUnavailable(_:)`` if a passcode is set already.
    package func settingPasscode(_ new: NewPasscodeSlot) throws(ProtectionError) -> [UInt8] {
        let fresh = try StoreKeys(fresh: Keybag.purposes(of: .whenPasscodeSetThisDeviceOnly))
        var maker = successor
        maker.passcode = new
        return try maker.make { (purpose) throws(ProtectionError) in
            if let key = fresh[purpose] { return key }
            return try keys.key(purpose)
        }
    }

    /// The bytes of the keybag with another passcode, under a fresh slot key.
    ///
    /// - Throws: ``ProtectionError/classUnavailable(_:)`` if the keys are those of a locked device.
    package func changingPasscode(
        _ new: NewPasscodeSlot,
        _ unlocked: UnlockedKeys
    ) throws(ProtectionError) -> [UInt8] {
        var maker = successor
        maker.passcode = new
        return try maker.make { (purpose) throws(ProtectionError) in try key(purpose, unlocked) }
    }

    /// The bytes of the keybag without a passcode: the keys of `akpu` are destroyed, and with them everything that they
    /// sealed.
    ///
    /// - Throws: ``ProtectionError/classUnavailable(_:)`` if the keys are those of a locked device.
    package func removingPasscode(_ unlocked: UnlockedKeys) throws(ProtectionError) -> [UInt8] {
        var maker = successor
        guard maker.passcodeGeneration < .max else { throw .damagedKeybag("it had more passcodes than it can count") }
        maker.passcodeGeneration += 1
        return try maker.make { (purpose) throws(ProtectionError) in try key(purpose, unlocked) }
    }

    /// The bytes of the keybag under another root key.
    ///
    /// The slot key of the root key stays, and is wrapped again, because sealed keys outside the store are
    /// authenticated by it.
    ///
    /// - Parameters:
    ///   - rootKey: the new root key.
    ///   - passcode: the slot of the passcode under that root key, with the keys that the passcode unlocked; `nil` for
    ///     a keybag that has none.
    /// - Returns: The bytes.
    /// - Throws: ``ProtectionError/classUnavailable(_:)`` if a passcode is set and not given, or the keys are those of
    ///   a locked device.
    package func under(
        _ rootKey: any RootKey,
        _ passcode: (slot: NewPasscodeSlot, unlocked: UnlockedKeys)?
    ) throws(ProtectionError) -> [UInt8] {
        var maker = KeybagMaker(successorOf: keybag, try rootSlot.under(rootKey, storeIdentifier))
        maker.rootKeyKind = rootKey.kind
        maker.passcode = passcode?.slot
        // Without its passcode, it would be a keybag without the keys of `akpu`.
        guard (passcode == nil) == (passcodeSlot == nil) else { throw .classUnavailable("") }
        return try maker.make { (purpose) throws(ProtectionError) in try key(purpose, passcode?.unlocked) }
    }

    /// A key for a purpose, of this keybag or of those that its passcode unlocked.
    func key(
        _ purpose: Keybag.Entry.Purpose,
        _ unlocked: UnlockedKeys?
    ) throws(ProtectionError) -> LockedKey {
        guard let key = keys[purpose] ?? unlocked?.key(purpose, for: keybag) else {
            throw .classUnavailable(purpose.accessibility?.rawValue ?? "")
        }
        return key
    }

    private var successor: KeybagMaker { KeybagMaker(successorOf: keybag, rootSlot) }
}

extension Keybag {
    /// The keys of one protection class.
    fileprivate static func purposes(of accessibility: Accessibility) -> [Entry.Purpose] {
        [.classKey(accessibility), .metadataKey(accessibility)]
    }
}

extension Keybag.Entry.Purpose {
    var outlivesLock: Bool { accessibility?.outlivesLock ?? true }
}
