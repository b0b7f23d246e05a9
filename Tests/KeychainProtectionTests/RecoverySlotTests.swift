// SPDX-License-Identifier: Apache-2.0

import Crypto
import KeychainCore
import Testing

@testable import KeychainProtection

/// The slot of a keybag that the recovery key opens, through the life of everything else in it.
struct RecoverySlotTests {
    private static let key = RecoveryKey.random()

    /// The keybag as the recovery key opens it.
    private func recovered(_ store: TestStore, _ key: RecoveryKey = Self.key) throws -> RecoveredKeybag? {
        try RecoveredKeybag(store.bytes, key, owner: .embedded)
    }

    /// Rows of every level that the device can seal now.
    private func rows(_ store: TestStore) throws -> [StoredRow] {
        let device = try store.device()
        return try Accessibility.stored.filter(device.isAvailable).map { try device.seal(.sample($0)) }
    }

    /// Takes the store over by the recovery key, under another root key, and opens rows of the former one.
    private func expectRecovered(_ store: TestStore, _ rows: [StoredRow]) throws {
        let recovered = try #require(try recovered(store))
        let (rootKey, next) = (try SoftwareRootKey.ephemeral(), RecoveryKey.random())
        let id = recovered.storeIdentifier
        let passcode = try NewPasscodeSlot("another", .testing, rootKey: rootKey, for: id)
        let slot = try NewRecoverySlot(next, date: .referenceDate, for: id)
        let bytes = try recovered.replaced(under: rootKey, passcode, slot)
        let keybag = try OpenKeybag(bytes, rootKey: rootKey, floor: TestStore.floor)
        #expect(keybag.storeIdentifier == id)
        let unlocked = try keybag.unlock(with: passcode.key)
        for row in rows { #expect(try Sealer(keybag, unlocked).secret(of: row) == "s3cret") }
        #expect(try RecoveredKeybag(bytes, Self.key, owner: .embedded) == nil)
        #expect(try RecoveredKeybag(bytes, next, owner: .embedded) != nil)
        // It is a keybag like any other, and lives on.
        let other = try NewPasscodeSlot("a third", .testing, rootKey: rootKey, for: id)
        let changed = try keybag.changingPasscode(other, unlocked)
        #expect(try RecoveredKeybag(changed, next, owner: .embedded) != nil)
    }

    @Test("the recovery key opens every level, whatever has happened to the passcode and the root key since")
    func outlivesChanges() throws {
        var store = try TestStore()
        try store.createRecoveryKey(Self.key)
        let first = try rows(store)
        try expectRecovered(store, first)
        try store.setPasscode("1234")
        let second = try rows(store)
        #expect(second.count == Accessibility.stored.count)
        try expectRecovered(store, first + second)
        try store.changePasscode("5678")
        try expectRecovered(store, first + second)
        try store.replaceRootKey("5678")
        try expectRecovered(store, first + second)
        try store.removePasscode()
        try expectRecovered(store, first)
        try store.setPasscode("1234")
        try expectRecovered(store, first + rows(store))
        #expect(try store.keybag().recoveryKeyDate == .referenceDate)
    }

    @Test("a recovery key that was made with a passcode is as good as one that was made without")
    func madeWithPasscode() throws {
        var store = try TestStore.withPasscode()
        let rows = try rows(store)
        try store.createRecoveryKey(Self.key)
        try expectRecovered(store, rows)
        #expect(try store.slotKey("1234") != nil)
    }

    @Test("the owner of the store changes without any key, and the slot stays")
    func handedOver() throws {
        var store = try TestStore.withPasscode()
        try store.createRecoveryKey(Self.key)
        let bytes = try store.keybag().handedOver(to: .daemon)
        #expect(try RecoveredKeybag(bytes, Self.key, owner: .daemon) != nil)
        #expect(throws: ProtectionError.foreignOwner(.daemon)) {
            try RecoveredKeybag(bytes, Self.key, owner: .embedded)
        }
    }

    @Test("another key, that of another store, an earlier one and a removed one open nothing")
    func otherKeys() throws {
        var (store, other) = (try TestStore.withPasscode(), try TestStore.withPasscode())
        #expect(throws: ProtectionError.noRecoveryKey) { try recovered(store) }
        try store.createRecoveryKey(Self.key)
        try other.createRecoveryKey(RecoveryKey.random())
        #expect(try recovered(store, .random()) == nil)
        #expect(try recovered(other) == nil)
        let next = RecoveryKey.random()
        try store.createRecoveryKey(next)
        #expect(try recovered(store) == nil)
        #expect(try recovered(store, next) != nil)
        try store.removeRecoveryKey()
        #expect(throws: ProtectionError.noRecoveryKey) { try recovered(store, next) }
        #expect(try store.keybag().recoveryKeyDate == nil)
        #expect(try store.slotKey("1234") != nil)
    }

    @Test("the slot of another store opens nothing in this one, also for who has both root keys and both papers")
    func foreignSlot() throws {
        var (store, other) = (try TestStore.withPasscode(), try TestStore.withPasscode())
        try store.createRecoveryKey(Self.key)
        try other.createRecoveryKey(Self.key)
        let slot = try #require(try other.keybag().keybag.recoverySlot)
        let forged = try store.forged { $0.slots[2] = .recovery(slot) }
        #expect(try RecoveredKeybag(forged, Self.key, owner: .embedded) == nil)
    }

    @Test("no byte of the slot can be altered, also without the code of the keybag")
    func altered() throws {
        var store = try TestStore.withPasscode()
        try store.createRecoveryKey(Self.key)
        let slot = try #require(try store.keybag().keybag.recoverySlot).encoded
        let start = try #require(store.bytes.firstRange(of: slot)).lowerBound
        for place in slot.indices {
            var bytes = store.bytes
            bytes[start + place] ^= 1
            let opened = try? RecoveredKeybag(bytes, Self.key, owner: .embedded)
            #expect(opened == nil, "\(place)")
        }
    }

    @Test("the generations and the passcode of a keybag are bound to the slot")
    func bound() throws {
        var store = try TestStore.withPasscode()
        try store.createRecoveryKey(Self.key)
        let changes: [(inout Keybag) -> Void] = [
            { $0.generation += 1 }, { $0.passcodeGeneration += 1 }, { $0.slots.remove(at: 1) },
            { $0.storeIdentifier = SystemRandomSource().bytes16() },
        ]
        for change in changes {
            let forged = try store.forged(change)
            let opened = try? RecoveredKeybag(forged, Self.key, owner: .embedded)
            #expect(opened == nil)
        }
    }

    @Test("who has the root key, and puts a recovery key of his own there, opens nothing after the passcode is changed")
    func planted() throws {
        var store = try TestStore.withPasscode()
        try store.createRecoveryKey(Self.key)
        // Everything that it takes, but for the preshared key, which the passcode protects.
        let mine = RecoveryKey.random()
        let planted = try NewRecoverySlot(mine, date: .referenceDate, for: store.keybag().storeIdentifier)
        let recipient = planted.recipient
        let slot = try recipient.seal(
            [],
            presharedKey: planted.presharedKey,
            RecoverySlot.Use(
                storeIdentifier: store.keybag().storeIdentifier,
                generation: 1,
                passcodeGeneration: 1,
                hasPasscode: true
            )
        )
        store.put(try store.forged { $0.slots[2] = .recovery(slot) })
        try store.changePasscode("5678")
        #expect(throws: ProtectionError.self) { try recovered(store, mine) }
        #expect(try store.slotKey("5678") != nil)
    }

    @Test("without the passcode, the root key gives nothing of the recovery slot's own key")
    func presharedKeyIsProtected() throws {
        var store = try TestStore()
        try store.createRecoveryKey(Self.key)
        #expect(try store.keybag().keys[.recovery] != nil)
        try store.setPasscode("1234")
        #expect(try store.keybag().keys[.recovery] == nil)
        #expect(try store.unlocked()?.key(.recovery, for: store.keybag().keybag) != nil)
        #expect(try store.unlocked()?.locked().key(.recovery, for: store.keybag().keybag) == nil)
    }

    @Test("a recovery key without its slot, a slot without its key and a slot in the wrong place are damage")
    func shapes() throws {
        var store = try TestStore.withPasscode()
        try store.createRecoveryKey(Self.key)
        let changes: [(inout Keybag) -> Void] = [
            { $0.slots.removeLast() }, { $0.entries.removeLast() }, { $0.slots.swapAt(1, 2) },
            { $0.slots.append($0.slots[2]) }, { $0.entries[$0.entries.count - 1].slot = .root },
        ]
        for change in changes {
            let forged = try store.forged(change)
            #expect(throws: ProtectionError.self) {
                try OpenKeybag(forged, rootKey: store.rootKey, floor: TestStore.floor)
            }
        }
    }

    @Test("where a passcode was set the keys of its level are not given up")
    func keepsPasscode() throws {
        var store = try TestStore.withPasscode()
        try store.createRecoveryKey(Self.key)
        let recovered = try #require(try recovered(store))
        let slot = try NewRecoverySlot(.random(), date: .referenceDate, for: recovered.storeIdentifier)
        #expect(throws: ProtectionError.classUnavailable("")) {
            try recovered.replaced(under: store.rootKey, nil, slot)
        }
        try store.removePasscode()
        let without = try #require(try self.recovered(store))
        let bytes = try without.replaced(under: store.rootKey, nil, slot)
        #expect(try OpenKeybag(bytes, rootKey: store.rootKey).passcodeSlot == nil)
    }
}
