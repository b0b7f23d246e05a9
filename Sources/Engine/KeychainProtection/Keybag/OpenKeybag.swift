// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// A keybag, authenticated; with the keys that need no passcode.
package final class OpenKeybag: Sendable {
    let keybag: Keybag
    let rootSlot: RootSlot
    let keys: StoreKeys
    let floor: ScryptFloor

    /// The key for search tags and digests, which is needed in every lock state.
    let searchTagKey: SearchTagKey

    /// Authenticates a keybag before its contents are used, checks it, and unwraps the keys under its root slot.
    ///
    /// - Parameters:
    ///   - bytes: the keybag.
    ///   - rootKey: the root key of its store.
    ///   - owner: the caller's kind of program: the store of another owner is refused.
    ///   - floor: the minimum work that a passcode or password may specify.
    /// - Throws: ``ProtectionError/wrongRootKey``, ``ProtectionError/damagedKeybag(_:)``,
    ///   ``ProtectionError/newerKeybag(version:)``, ``ProtectionError/foreignOwner(_:)``,
    ///   ``ProtectionError/unsupportedRootKey(_:)`` or ``ProtectionError/noMemory``.
    package init(
        _ bytes: [UInt8],
        rootKey: any RootKey,
        owner: StoreOwner = .embedded,
        floor: ScryptFloor = .standard
    ) throws(ProtectionError) {
        let parsed = try KeybagCodec.parse(bytes)
        try KeybagOrigin(parsed.contents).check(owner)
        let kind = parsed.contents.rootKeyKind
        guard kind == rootKey.kind else { throw .unsupportedRootKey(kind) }
        rootSlot = try parsed.rootSlot(under: rootKey)
        keybag = parsed.contents
        try keybag.check(floor)
        self.floor = floor
        keys = try StoreKeys(
            keybag.entries.filter { $0.slot == .root },
            KeyWrapping(storeIdentifier: keybag.storeIdentifier, slotKey: rootSlot.key)
        )
        guard let indexKey = keys[.index] else { throw .damagedKeybag("it has no index key") }
        searchTagKey = try SearchTagKey(indexKey, of: keybag.storeIdentifier)
    }

    /// The bytes of the keybag of a new store: fresh keys, no passcode.
    package static func make(
        rootKey: any RootKey,
        owner: StoreOwner = .embedded,
        random: any RandomSource = SystemRandomSource()
    ) throws(ProtectionError) -> [UInt8] {
        let fresh = try StoreKeys(fresh: Keybag.purposes(hasPasscode: false))
        var maker = try KeybagMaker(rootKey: rootKey, random.bytes16())
        maker.owner = owner
        return try maker.make { (purpose) throws(ProtectionError) in try fresh.key(purpose) }
    }

    /// The bytes of the same keybag for another owner: every slot and every wrapped key stays as it is, so that no
    /// passcode is needed.
    package func handedOver(to owner: StoreOwner) -> [UInt8] {
        var successor = keybag
        successor.owner = owner
        return rootSlot.seal(successor)
    }

    init(
        _ keybag: Keybag,
        rootSlot: RootSlot,
        keys: StoreKeys,
        floor: ScryptFloor
    ) throws(ProtectionError) {
        self.keybag = keybag
        self.rootSlot = rootSlot
        self.keys = keys
        self.floor = floor
        searchTagKey = try SearchTagKey(keys.key(.index), of: keybag.storeIdentifier)
    }

    /// The kind of program that opens the store.
    package var owner: StoreOwner { keybag.owner }

    /// Which store the keys belong to.
    package var storeIdentifier: Bytes16 { keybag.storeIdentifier }

    /// The slot of the passcode; `nil` when none is set.
    package var passcodeSlot: PasscodeSlot? { keybag.passcodeSlot }

    /// When the recovery key was made; `nil` when there is none.
    package var recoveryKeyDate: Timestamp? { keybag.recoverySlot?.recipient.date }

    /// The generation of the keys of `akpu`.
    package var passcodeGeneration: UInt32 { keybag.passcodeGeneration }

    /// The generation of the keys of `akpu` that were destroyed with the last passcode.
    ///
    /// `nil` if no passcode was ever removed, and while one is set: setting one removes the rows of these keys.
    package var destroyedGeneration: UInt32? { keybag.destroyedGeneration }

    /// Whether the keys are kept out of swap; mlock(2) can fail, as in a container with a small limit.
    package var keysAreLocked: Bool { keys.areLocked }

    /// The search tag generator for one operation; works in every lock state.
    ///
    /// The cache contains tags that were created with this keybag before.
    package func searchTags(_ cache: SearchTagCache? = nil) -> SearchTags { SearchTags(searchTagKey, cache) }
}

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
    package func rewrapped(
        under rootKey: any RootKey,
        _ passcode: (slot: NewPasscodeSlot, unlocked: UnlockedKeys)?
    ) throws(ProtectionError) -> [UInt8] {
        var maker = KeybagMaker(successorOf: keybag, try rootSlot.rewrapped(under: rootKey, storeIdentifier))
        maker.rootKeyKind = rootKey.kind
        maker.passcode = passcode?.slot
        // Without its passcode, it would be a keybag without the keys of `akpu`.
        guard (passcode == nil) == (passcodeSlot == nil) else { throw .classUnavailable("") }
        return try maker.make { (purpose) throws(ProtectionError) in try key(purpose, passcode?.unlocked) }
    }

    /// The bytes of the keybag with a recovery key, in place of an earlier one.
    ///
    /// - Parameters:
    ///   - recovery: the recovery key's part.
    ///   - passcode: the key that the passcode gave; `nil` for a keybag that has none.
    /// - Returns: The bytes.
    /// - Throws: ``ProtectionError/classUnavailable(_:)`` if a passcode is set and not given;
    ///   ``ProtectionError/otherSlot`` for that of another keybag.
    package func settingRecoveryKey(
        _ recovery: NewRecoverySlot,
        _ passcode: SlotKey?
    ) throws(ProtectionError) -> [UInt8] {
        try withRecovery(for: recovery.recipient, passcode) { $0 == .recovery ? recovery.presharedKey : nil }
    }

    /// The bytes of the keybag without a recovery key.
    ///
    /// - Throws: As ``settingRecoveryKey(_:_:)``.
    package func removingRecoveryKey(_ passcode: SlotKey?) throws(ProtectionError) -> [UInt8] {
        try withRecovery(for: nil, passcode) { _ in nil }
    }

    private func withRecovery(
        for recipient: RecoverySlot.Recipient?,
        _ passcode: SlotKey?,
        _ newKey: (Keybag.Entry.Purpose) -> LockedKey?
    ) throws(ProtectionError) -> [UInt8] {
        guard (passcode == nil) == (passcodeSlot == nil) else { throw .classUnavailable("") }
        let unlocked = try passcode.map { (key) throws(ProtectionError) in try unlock(with: key) }
        var maker = successor
        if let passcode, let passcodeSlot { maker.passcode = NewPasscodeSlot(passcodeSlot, passcode) }
        maker.recovery = recipient
        return try maker.make { (purpose) throws(ProtectionError) in
            if let key = newKey(purpose) { return key }
            return try key(purpose, unlocked)
        }
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
    var destroyedGeneration: UInt32? {
        passcodeSlot == nil && passcodeGeneration > 1 ? passcodeGeneration - 1 : nil
    }

    /// The keys of one protection class.
    static func purposes(of accessibility: Accessibility) -> [Entry.Purpose] {
        [.classKey(accessibility), .metadataKey(accessibility)]
    }
}

extension Keybag.Entry.Purpose {
    var outlivesLock: Bool { accessibility?.outlivesLock ?? (self != .recovery) }
}
