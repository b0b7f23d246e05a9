// SPDX-License-Identifier: Apache-2.0

import Crypto
import KeychainCore

/// A keybag, authenticated; with the keys that need no passcode.
public struct OpenKeybag: Sendable {
    let keybag: Keybag
    let rootSlotKey: LockedKey
    let wrappedRootSlotKey: [UInt8]
    let keys: StoreKeys

    /// The key of search tags, which is needed in every lock state.
    let indexKey: LockedKey

    /// Authenticates a keybag before anything in it is believed, checks it, and unwraps the keys under its root slot.
    ///
    /// - Throws: ``ProtectionError/wrongRootKey``, ``ProtectionError/damagedKeybag(_:)``,
    ///   ``ProtectionError/newerKeybag(version:)`` or ``ProtectionError/noMemory``.
    public init(_ bytes: [UInt8], rootKey: any RootKey) throws(ProtectionError) {
        let parsed = try KeybagCodec.parse(bytes)
        guard let wrapped = parsed.keybag.wrappedRootSlotKey else {
            throw .damagedKeybag("it has no slot for the root key")
        }
        let slotKey = try rootKey.unwrap(wrapped)
        guard parsed.isAuthentic(under: Keybag.authenticationKey(of: slotKey)) else {
            throw .damagedKeybag("its authentication code is wrong")
        }
        keybag = parsed.keybag
        try keybag.check()
        rootSlotKey = try LockedMemory(keyCapacity: 1).store(slotKey)
        wrappedRootSlotKey = wrapped
        keys = try StoreKeys(
            keybag.entries.filter { $0.slot == .root },
            KeyWrapping(version: keybag.version, slotKey: rootSlotKey)
        )
        guard let indexKey = keys[.index] else { throw .damagedKeybag("it has no index key") }
        self.indexKey = indexKey
    }

    /// The bytes of the keybag of a new store: fresh keys, no passcode.
    public static func make(
        rootKey: any RootKey,
        random: any RandomSource = SystemRandomSource()
    ) throws(ProtectionError) -> [UInt8] {
        let fresh = try StoreKeys(fresh: Keybag.purposes(hasPasscode: false))
        return try KeybagMaker(rootKey: rootKey, random: random).make { (purpose) throws(ProtectionError) in
            try fresh.key(purpose)
        }
    }

    init(
        _ keybag: Keybag,
        _ rootSlotKey: LockedKey,
        _ wrappedRootSlotKey: [UInt8],
        _ keys: StoreKeys
    ) throws(ProtectionError) {
        self.keybag = keybag
        self.rootSlotKey = rootSlotKey
        self.wrappedRootSlotKey = wrappedRootSlotKey
        self.keys = keys
        indexKey = try keys.key(.index)
    }

    /// Which store the keys belong to.
    public var storeIdentifier: Bytes16 { keybag.storeIdentifier }

    /// The slot of the passcode; `nil` when none is set.
    public var passcodeSlot: PasscodeSlot? { keybag.passcodeSlot }

    /// The generation of the keys of `akpu`.
    ///
    /// A row of that class and of a lower generation was destroyed together with an earlier passcode.
    public var passcodeGeneration: UInt32 { keybag.passcodeGeneration }

    /// Whether the keys are kept out of swap; mlock(2) can be refused, as in a container with a small limit.
    public var keysAreLocked: Bool { keys.areLocked }

    /// The maker of search tags for one operation; works in every lock state.
    public func searchTags() -> SearchTags { SearchTags(indexKey) }
}
