// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// A new keybag, with all of its keys unwrapped.
package struct NewKeybag: Sendable {
    /// The bytes.
    package let bytes: [UInt8]

    /// The keybag, open.
    package let keybag: OpenKeybag

    /// The keys that its passcode unlocks; `nil` if it has none.
    package let unlocked: UnlockedKeys?

    /// Creates a root key that lives as long as the process, and a keybag under it.
    ///
    /// - Parameters:
    ///   - random: the source of the store's identifier.
    ///   - passcode: its passcode; `nil` for none.
    ///   - work: the derivation work for one passcode.
    /// - Returns: The root key and the keybag.
    /// - Throws: ``ProtectionError/noMemory``.
    package static func ephemeral(
        random: any RandomSource,
        passcode: SecretBytes?,
        _ work: ScryptParameters
    ) throws(ProtectionError) -> (SoftwareRootKey, NewKeybag) {
        try make(rootKey: try SoftwareRootKey.ephemeral(), .embedded, random: random, passcode: passcode, work)
    }

    /// Creates the keybag of a keychain file, under the root key that all keychain files share.
    ///
    /// - Parameters:
    ///   - random: the source of the store's identifier.
    ///   - password: the password of the keychain; may be empty.
    ///   - work: the derivation work for one password.
    /// - Returns: The root key and the keybag.
    /// - Throws: ``ProtectionError/noMemory``.
    package static func keychainFile(
        random: any RandomSource,
        password: SecretBytes,
        _ work: ScryptParameters
    ) throws(ProtectionError) -> (SoftwareRootKey, NewKeybag) {
        try make(rootKey: try .published(), .keychainFile, random: random, passcode: password, work)
    }

    private static func make(
        rootKey: SoftwareRootKey,
        _ owner: StoreOwner,
        random: any RandomSource,
        passcode: SecretBytes?,
        _ work: ScryptParameters
    ) throws(ProtectionError) -> (SoftwareRootKey, NewKeybag) {
        let storeIdentifier = random.bytes16()
        let slot = try passcode.map { (passcode) throws(ProtectionError) in
            try NewPasscodeSlot(passcode, work, rootKey: rootKey, for: storeIdentifier)
        }
        let made = try NewKeybag(rootKey: rootKey, storeIdentifier, owner: owner, passcode: slot, ScryptFloor(of: work))
        return (rootKey, made)
    }

    /// Creates the keybag of a new store with fresh keys.
    ///
    /// - Parameters:
    ///   - rootKey: the root key that protects the keys.
    ///   - storeIdentifier: the random identifier of the store.
    ///   - owner: the kind of program that opens the store.
    ///   - passcode: the slot of its passcode, for the same store; `nil` for none.
    ///   - floor: the minimum work of a password.
    /// - Throws: ``ProtectionError/noMemory``, and the errors of the root key.
    package init(
        rootKey: any RootKey,
        _ storeIdentifier: Bytes16,
        owner: StoreOwner = .embedded,
        passcode: NewPasscodeSlot? = nil,
        _ floor: ScryptFloor
    ) throws(ProtectionError) {
        var maker = try KeybagMaker(rootKey: rootKey, storeIdentifier)
        maker.owner = owner
        maker.passcode = passcode
        let hasPasscode = passcode != nil
        let purposes = Keybag.purposes(hasPasscode: hasPasscode)
        func fresh(where belongs: (Keybag.Entry.Purpose) -> Bool) throws(ProtectionError) -> StoreKeys {
            try StoreKeys(fresh: purposes.filter(belongs))
        }
        let rooted = try fresh { $0.slot(hasPasscode: hasPasscode, owner) == .root }
        let outlivingLock = try fresh { $0.slot(hasPasscode: hasPasscode, owner) == .passcode && $0.outlivesLock }
        let untilLock = try fresh { $0.slot(hasPasscode: hasPasscode, owner) == .passcode && !$0.outlivesLock }
        let made = try maker.keybag { (purpose) throws(ProtectionError) in
            if let key = rooted[purpose] ?? outlivingLock[purpose] { return key }
            return try untilLock.key(purpose)
        }
        bytes = maker.rootSlot.seal(made)
        keybag = try OpenKeybag(made, rootSlot: maker.rootSlot, keys: rooted, floor: floor)
        unlocked = hasPasscode ? UnlockedKeys(made.keyOwner, outlivingLock: outlivingLock, untilLock: untilLock) : nil
    }
}
