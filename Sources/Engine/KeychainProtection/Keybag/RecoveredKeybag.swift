// SPDX-License-Identifier: Apache-2.0

import Crypto
import KeychainCore

/// A keybag as its recovery key opens it: with every key of the store, and without passcode and root key.
///
/// Its code needs the root key, or its settings, which may be lost. So only what the recovery slot's own seals cover is
/// used of it: the store, the generations, whether there is a passcode.
package struct RecoveredKeybag: Sendable {
    private let keybag: Keybag
    private let rootSlotKey: LockedKey
    private let keys: StoreKeys

    /// Opens a keybag with a recovery key.
    ///
    /// - Returns: `nil` if the recovery key is wrong.
    /// - Throws: ``ProtectionError/noRecoveryKey`` for a keybag without one, ``ProtectionError/damagedKeybag(_:)``,
    ///   ``ProtectionError/newerKeybag(version:)``, ``ProtectionError/foreignOwner(_:)``,
    ///   ``ProtectionError/noMemory``.
    package init?(_ bytes: [UInt8], _ key: RecoveryKey, owner: StoreOwner) throws(ProtectionError) {
        keybag = try KeybagCodec.parse(bytes).contents
        try KeybagOrigin(keybag).check(owner)
        guard let slot = keybag.recoverySlot else { throw .noRecoveryKey }
        let purposes = Keybag.purposes(hasPasscode: keybag.passcodeSlot != nil)
        let use = RecoverySlot.Use(
            storeIdentifier: keybag.storeIdentifier,
            generation: keybag.generation,
            passcodeGeneration: keybag.passcodeGeneration,
            hasPasscode: keybag.passcodeSlot != nil
        )
        guard let opened = try slot.open(key, use, count: 1 + purposes.count) else { return nil }
        rootSlotKey = try LockedMemory(keyCapacity: 1).store(opened[0])
        keys = try StoreKeys(Array(zip(purposes, opened.dropFirst())))
    }

    /// Which store the keys belong to.
    package var storeIdentifier: Bytes16 { keybag.storeIdentifier }

    /// Whether a passcode is set.
    package var hasPasscode: Bool { keybag.passcodeSlot != nil }

    /// The generation of the keys of `akpu` that were destroyed with the last passcode; see
    /// ``OpenKeybag/destroyedGeneration``.
    package var destroyedGeneration: UInt32? { keybag.destroyedGeneration }

    /// The bytes of the keybag with another passcode and another recovery key.
    ///
    /// - Parameters:
    ///   - rootKey: the root key that it is under from now on.
    ///   - passcode: the slot of the new passcode, under that root key; `nil` for none, where none was set.
    ///   - recovery: the new recovery key's part.
    /// - Returns: The bytes.
    /// - Throws: ``ProtectionError/classUnavailable(_:)`` for no passcode where one was set; errors of the root key.
    package func replaced(
        under rootKey: any RootKey,
        _ passcode: NewPasscodeSlot?,
        _ recovery: NewRecoverySlot
    ) throws(ProtectionError) -> [UInt8] {
        // Without a passcode there are no keys of `akpu`, and the items under them would be lost.
        guard passcode != nil || !hasPasscode else { throw .classUnavailable("") }
        let wrapped = try rootSlotKey.withKey { slotKey throws(ProtectionError) in
            try rootKey.wrap(slotKey, for: storeIdentifier)
        }
        var maker = KeybagMaker(
            successorOf: keybag,
            RootSlot(rootSlotKey, wrapped: wrapped, rootKey.settingsDigest)
        )
        maker.rootKeyKind = rootKey.kind
        maker.passcode = passcode
        maker.recovery = recovery.recipient
        let fresh = try StoreKeys(fresh: Keybag.purposes(of: .whenPasscodeSetThisDeviceOnly))
        return try maker.make { (purpose) throws(ProtectionError) in
            if purpose == .recovery { return recovery.presharedKey }
            if let key = keys[purpose] { return key }
            return try fresh.key(purpose)
        }
    }
}

/// What the bytes of a keybag say without any key: not authenticated, and nothing that is secret.
package struct KeybagSummary: Sendable {
    private let keybag: Keybag

    /// Parses a keybag.
    ///
    /// - Throws: ``ProtectionError/damagedKeybag(_:)``, ``ProtectionError/newerKeybag(version:)``.
    package init(_ bytes: [UInt8]) throws(ProtectionError) { keybag = try KeybagCodec.parse(bytes).contents }

    /// The kind of root key that it is under.
    package var rootKeyKind: RootKeyKind { keybag.rootKeyKind }

    /// Whether a passcode is set.
    package var hasPasscode: Bool { keybag.passcodeSlot != nil }

    /// When the recovery key was made; `nil` when there is none.
    package var recoveryKeyDate: Timestamp? { keybag.recoverySlot?.recipient.date }

    /// Refuses the store of another owner.
    ///
    /// - Throws: ``ProtectionError/foreignOwner(_:)``.
    package func check(_ owner: StoreOwner) throws(ProtectionError) { try KeybagOrigin(keybag).check(owner) }

    /// Whether it is under a root key.
    package func isUnder(_ rootKey: any RootKey) -> Bool { rootKeyKind == rootKey.kind && keybag.isUnder(rootKey) }
}
