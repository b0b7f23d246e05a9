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
        /// By the recovery key, which needs neither.
        case recovery(RecoverySlot)

        var kind: Kind {
            switch self {
            case .root: .root
            case .passcode: .passcode
            case .recovery: .recovery
            }
        }

        /// By what a slot's key is wrapped.
        enum Kind: UInt8, Sendable {
            case root = 1
            case passcode = 2
            case recovery = 3
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
            /// What a keybag needs to seal its keys for the recovery key.
            case recovery
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

    /// The slot of the recovery key; `nil` when there is none.
    var recoverySlot: RecoverySlot? {
        for case .recovery(let slot) in slots { return slot }
        return nil
    }
}

/// Which keys a keybag has, and which slot each is under.
extension Keybag {
    /// The keys of a store, with or without a passcode, and with or without a recovery key: those of `akpu` exist only
    /// with a passcode.
    static func purposes(hasPasscode: Bool, hasRecoveryKey: Bool = false) -> [Entry.Purpose] {
        [.index]
            + Accessibility.stored
            .filter { hasPasscode || $0 != .whenPasscodeSetThisDeviceOnly }
            .flatMap { [.classKey($0), .metadataKey($0)] }
            + (hasRecoveryKey ? [.recovery] : [])
    }

    /// The generation of a class's keys; `nil` for a class that has none.
    func generation(of accessibility: Accessibility) -> UInt32? {
        switch accessibility {
        case .untilReboot: nil
        case .whenPasscodeSetThisDeviceOnly: passcodeSlot == nil ? nil : passcodeGeneration
        default: generation
        }
    }

    /// The generation of a key.
    func generation(of purpose: Entry.Purpose) -> UInt32? {
        guard let accessibility = purpose.accessibility else { return generation }
        return generation(of: accessibility)
    }

    /// Checks an authenticated keybag: every slot and every key occurs once, each key under the slot that protects it.
    ///
    /// - Parameter floor: the minimum work that its passcode may specify.
    /// - Throws: ``ProtectionError/damagedKeybag(_:)``.
    func check(_ floor: ScryptFloor) throws(ProtectionError) {
        let kinds: [Slot.Kind] = [.root, .passcode, .recovery]
        // Each at most once, in this order.
        guard slots.first?.kind == .root, slots.map(\.kind) == kinds.filter({ slots.map(\.kind).contains($0) }) else {
            throw .damagedKeybag("it has other slots than it must have")
        }
        guard owner != .keychainFile || recoverySlot == nil else { throw .damagedKeybag("it has a recovery key") }
        guard owner != .keychainFile || passcodeSlot != nil else { throw .damagedKeybag("it has no password") }
        guard passcodeSlot?.work.areAcceptable ?? true else {
            throw .damagedKeybag("its passcode asks for work that is not allowed")
        }
        guard passcodeSlot?.work.isAcceptable(floor) ?? true else {
            throw .damagedKeybag("its passcode asks for less work than is allowed")
        }
        let expected = Self.purposes(hasPasscode: passcodeSlot != nil, hasRecoveryKey: recoverySlot != nil)
        guard entries.count == expected.count, Set(entries.map(\.purpose)) == Set(expected) else {
            throw .damagedKeybag("it has other keys than it must have")
        }
        for entry in entries {
            guard entry.slot == entry.purpose.slot(hasPasscode: passcodeSlot != nil, owner) else {
                throw .damagedKeybag("one of its keys is in a slot that does not protect it")
            }
            guard entry.generation == generation(of: entry.purpose) else {
                throw .damagedKeybag("one of its keys is of another generation")
            }
        }
    }
}

extension Keybag.Entry.Purpose {
    /// The protection class; `nil` for a key that is of none.
    var accessibility: Accessibility? {
        switch self {
        case .classKey(let accessibility), .metadataKey(let accessibility): accessibility
        case .index, .recovery: nil
        }
    }

    /// The slot that protects the key.
    ///
    /// With a passcode, only the keys that are needed in every lock state are under the root key alone; in a keychain
    /// file, these include the attributes of all items (Semantics, "File-based keychains").
    func slot(hasPasscode: Bool, _ owner: StoreOwner) -> Keybag.Slot.Kind {
        guard hasPasscode else { return .root }
        switch self {
        case .index: return .root
        // Whoever has it could have the next keys of the store sealed for another recovery key.
        case .recovery: return .passcode
        case .metadataKey where owner == .keychainFile: return .root
        case .classKey(let accessibility), .metadataKey(let accessibility):
            return accessibility.isAlwaysAvailable ? .root : .passcode
        }
    }
}

/// The unauthenticated information of a keybag that is needed to find its root key: the owner, and the kind of root
/// key.
///
/// Modifying it only prevents the store from being opened: the keybag's code covers both.
package struct KeybagOrigin: Sendable, Hashable {
    /// Whose the store is.
    package let owner: StoreOwner

    /// The kind of root key.
    let rootKeyKind: RootKeyKind

    /// Parses the bytes of a keybag.
    ///
    /// - Throws: ``ProtectionError/damagedKeybag(_:)``, ``ProtectionError/newerKeybag(version:)``.
    package init(_ bytes: [UInt8]) throws(ProtectionError) { self.init(try KeybagCodec.parse(bytes).contents) }

    init(_ keybag: Keybag) {
        owner = keybag.owner
        rootKeyKind = keybag.rootKeyKind
    }

    /// Refuses the store of another owner.
    ///
    /// - Throws: ``ProtectionError/foreignOwner(_:)``.
    func check(_ owner: StoreOwner) throws(ProtectionError) {
        guard self.owner == owner else { throw .foreignOwner(self.owner) }
    }
}
