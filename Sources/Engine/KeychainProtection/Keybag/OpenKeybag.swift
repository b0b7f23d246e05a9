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

    /// The generation of the keys of `akpu`.
    package var passcodeGeneration: UInt32 { keybag.passcodeGeneration }

    /// The generation of the keys of `akpu` that were destroyed with the last passcode.
    ///
    /// `nil` if no passcode was ever removed, and while one is set: setting one removes the rows of these keys.
    package var destroyedGeneration: UInt32? {
        passcodeSlot == nil && passcodeGeneration > 1 ? passcodeGeneration - 1 : nil
    }

    /// Whether the keys are kept out of swap; mlock(2) can fail, as in a container with a small limit.
    package var keysAreLocked: Bool { keys.areLocked }

    /// The search tag generator for one operation; works in every lock state.
    ///
    /// The cache contains tags that were created with this keybag before.
    package func searchTags(_ cache: SearchTagCache? = nil) -> SearchTags { SearchTags(searchTagKey, cache) }
}
