// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// Which keys a keybag has, and which slot each is under.
extension Keybag {
    /// The keys of a store, with or without a passcode: those of `akpu` exist only with one.
    static func purposes(hasPasscode: Bool) -> [Entry.Purpose] {
        [.index]
            + Accessibility.stored
            .filter { hasPasscode || $0 != .whenPasscodeSetThisDeviceOnly }
            .flatMap { [.classKey($0), .metadataKey($0)] }
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
        guard slots.map(\.kind) == [.root] || slots.map(\.kind) == [.root, .passcode] else {
            throw .damagedKeybag("it has other slots than it must have")
        }
        guard owner != .keychainFile || passcodeSlot != nil else { throw .damagedKeybag("it has no password") }
        guard passcodeSlot?.work.areAcceptable ?? true else {
            throw .damagedKeybag("its passcode asks for work that is not allowed")
        }
        guard passcodeSlot?.work.isAcceptable(floor) ?? true else {
            throw .damagedKeybag("its passcode asks for less work than is allowed")
        }
        let expected = Self.purposes(hasPasscode: passcodeSlot != nil)
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
    /// The protection class; `nil` for the index key.
    var accessibility: Accessibility? {
        switch self {
        case .classKey(let accessibility), .metadataKey(let accessibility): accessibility
        case .index: nil
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
        case .metadataKey where owner == .keychainFile: return .root
        case .classKey(let accessibility), .metadataKey(let accessibility):
            return accessibility.isAlwaysAvailable ? .root : .passcode
        }
    }
}
