// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// The wrapped keys of a store, as stored in the file (Documentation/Format.md, "Keybag").
///
/// A slot is a way to access keys, and has a key of its own. An entry is one key of the store, wrapped under the key of
/// one slot.
struct Keybag: Sendable {
    /// Which store the keys belong to.
    var storeIdentifier: Bytes16

    /// The kind of program that opens the store.
    var owner: StoreOwner

    /// The kind of root key that wraps the key of the root slot.
    var rootKeyKind: RootKeyKind

    /// The generation of all class keys but those of `akpu`.
    var generation: UInt32

    /// The generation of the class keys of `akpu`: counts up when a passcode is removed, and they with it.
    var passcodeGeneration: UInt32

    var slots: [Slot]
    var entries: [Entry]

    enum Slot: Sendable, Hashable {
        /// By the root key alone.
        case root(wrappedSlotKey: [UInt8])
        /// By the root key and the passcode.
        case passcode(PasscodeSlot)

        var kind: Kind {
            switch self {
            case .root: .root
            case .passcode: .passcode
            }
        }

        /// By what a slot's key is wrapped.
        enum Kind: UInt8, Sendable {
            case root = 1
            case passcode = 2
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
}

extension Keybag {
    /// The wrapped content of the root key's slot.
    var wrappedRootSlotKey: [UInt8]? {
        for case .root(let wrapped) in slots { return wrapped }
        return nil
    }

    /// The slot of the passcode; `nil` when none is set.
    var passcodeSlot: PasscodeSlot? {
        for case .passcode(let slot) in slots { return slot }
        return nil
    }
}
