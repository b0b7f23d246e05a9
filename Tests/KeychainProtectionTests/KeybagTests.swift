// SPDX-License-Identifier: Apache-2.0

import Crypto
import KeychainCore
import Testing

@testable import KeychainProtection

/// Keybags through the life of a passcode: which keys are under which slot, and which stay the same.
struct KeybagTests {
    private static let passcodeClass = Accessibility.whenPasscodeSetThisDeviceOnly

    @Test("without a passcode every class but akpu is available, by the root key alone")
    func withoutPasscode() throws {
        let store = try TestStore()
        let device = Sealer(try store.keybag())
        #expect(try store.keybag().passcodeSlot == nil)
        #expect(try store.keybag().passcodeGeneration == 1)
        for level in Accessibility.allCases {
            #expect(device.isAvailable(level) == (level != Self.passcodeClass && level != .untilReboot), "\(level)")
        }
    }

    @Test("with a passcode only what is always available opens by the root key alone", arguments: Accessibility.stored)
    func withPasscode(_ level: Accessibility) throws {
        let store = try TestStore.withPasscode()
        let unlocked = try #require(try store.unlocked())
        #expect(Sealer(try store.keybag()).isAvailable(level) == level.isAlwaysAvailable)
        #expect(Sealer(try store.keybag(), unlocked.locked()).isAvailable(level) == level.outlivesLock)
        #expect(Sealer(try store.keybag(), unlocked).isAvailable(level))
        #expect(unlocked.isLocked == false && unlocked.locked().isLocked)
    }

    @Test("rows outlive that a passcode is set, changed and removed", arguments: Accessibility.stored)
    func keepsKeys(_ level: Accessibility) throws {
        var store = try TestStore()
        var row: StoredRow?
        if level != Self.passcodeClass { row = try store.device().seal(.sample(level)) }
        try store.setPasscode("1234")
        let kept = try row ?? store.device().seal(.sample(level))
        #expect(try store.device().secret(of: kept) == "s3cret")
        try store.changePasscode("5678")
        #expect(try store.device().secret(of: kept) == "s3cret")
        #expect(try store.slotKey("1234") == nil)
        try store.removePasscode()
        if level == Self.passcodeClass {
            #expect(throws: ProtectionError.damagedRow(.unknownKey)) { try store.device().secret(of: kept) }
        } else {
            #expect(try store.device().secret(of: kept) == "s3cret")
        }
    }

    @Test("tags stay the same whatever happens to the passcode")
    func keepsTags() throws {
        var store = try TestStore()
        let schema = ItemSchema.of(.genericPassword)
        let attributes = Item.sample().attributes
        let tag = try store.keybag().searchTags().primaryKeyTag(schema, attributes)
        try store.setPasscode("1234")
        #expect(try store.keybag().searchTags().primaryKeyTag(schema, attributes) == tag)
        try store.changePasscode("5678")
        try store.removePasscode()
        #expect(try store.keybag().searchTags().primaryKeyTag(schema, attributes) == tag)
    }

    @Test("removing the passcode destroys akpu for ever: a new passcode has other keys and another generation")
    func removingDestroys() throws {
        var store = try TestStore.withPasscode()
        let old = try store.unlocked()
        let row = try store.device().seal(.sample(Self.passcodeClass))
        #expect(row.keyGeneration == 1)
        try store.removePasscode()
        #expect(try store.keybag().passcodeGeneration == 2)
        #expect(throws: ProtectionError.noPasscode) { try store.device().seal(.sample(Self.passcodeClass)) }
        try store.setPasscode("1234")
        #expect(try store.keybag().passcodeGeneration == 2)
        #expect(throws: ProtectionError.damagedRow(.unknownKey)) { try store.device().secret(of: row) }
        var promoted = row
        promoted.keyGeneration = 2
        #expect(throws: ProtectionError.damagedRow(.metadata)) { try store.device().secret(of: promoted) }
        // The keys that were unlocked by the old passcode are none of this keybag's.
        let stale = Sealer(try store.keybag(), old)
        #expect(
            stale.isAvailable(.always) && !stale.isAvailable(.whenUnlocked) && !stale.isAvailable(Self.passcodeClass)
        )
        #expect(throws: ProtectionError.classUnavailable("ak")) {
            try store.keybag().changingPasscode(store.newSlot("5678"), #require(old))
        }
    }

    @Test("changing the passcode changes the slot's key: what the old one wrapped is worth nothing")
    func changingRenews() throws {
        var store = try TestStore.withPasscode()
        let old = try #require(store.slotKey)
        try store.changePasscode("1234")
        #expect(throws: ProtectionError.otherSlot) { try store.keybag().unlock(with: old) }
        // Handed over, it is not known whose it is.
        let handedOver = try old.key.withKey { (key) throws(ProtectionError) in try SlotKey(key, of: nil) }
        #expect(throws: ProtectionError.damagedKeybag("one of its keys does not unwrap")) {
            try store.keybag().unlock(with: handedOver)
        }
    }

    @Test("what needs the keys of an unlocked device is refused to a locked one")
    func refusesLocked() throws {
        let store = try TestStore.withPasscode()
        let locked = try #require(try store.unlocked()).locked()
        let new = try store.newSlot("5678")
        #expect(throws: ProtectionError.classUnavailable("ak")) { try store.keybag().changingPasscode(new, locked) }
        #expect(throws: ProtectionError.classUnavailable("ak")) { try store.keybag().removingPasscode(locked) }
        #expect(throws: ProtectionError.classUnavailable("ak")) { try store.keybag().settingPasscode(new) }
    }

    @Test("a keybag without a passcode is not unlocked")
    func unlocksOnlyWithPasscode() throws {
        let key = try #require(try TestStore.withPasscode().slotKey)
        #expect(throws: ProtectionError.noPasscode) { try TestStore().keybag().unlock(with: key) }
    }

    @Test("keys are wrapped for their purpose, as the format says")
    func wrapsForPurpose() throws {
        let slotKey = try LockedMemory(keyCapacity: 1).store(SymmetricKey(data: Array(UInt8(0)..<32)))
        let key = try LockedMemory(keyCapacity: 1).store(.random())
        let wrapping = KeyWrapping(storeIdentifier: .counting(from: 32), slotKey: slotKey)
        let wrapped = try wrapping.wrap(key, for: .classKey(.whenUnlocked), generation: 1)
        let wrappingKey = SymmetricKey(
            data: Array(hexadecimal: "2b9008a883929d1de836e2ddb54f5e8e71cc408c5e2f10112942c41579a081c5")
        )
        #expect(try #require(KeyWrap.unwrap(wrapped[...], under: wrappingKey)) == key.withKey { $0 })
    }

    @Test("the keys lie in memory that is locked, or it is said that they do not")
    func tellsWhetherLocked() throws {
        let keybag = try TestStore().keybag()
        #expect(keybag.keysAreLocked == keybag.keys.areLocked)
    }
}
