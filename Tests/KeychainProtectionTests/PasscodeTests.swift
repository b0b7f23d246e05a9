// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import Testing

@testable import KeychainProtection

struct PasscodeTests {
    /// Passcodes of every kind, no two of them the same.
    static let passcodes: [SecretBytes] = [
        "", "1234", "1234\0", "\0", "\0\0", "12\034", "ünïcödé", SecretBytes([0xFF, 0xFE, 0x80]),
        SecretBytes([UInt8](repeating: 7, count: 63)), SecretBytes([UInt8](repeating: 7, count: 64)),
        SecretBytes([UInt8](repeating: 7, count: 65)), SecretBytes([UInt8](repeating: 0, count: 1 << 20)),
        SecretBytes([UInt8](repeating: 0, count: (1 << 20) + 1)),
    ]

    @Test("every passcode opens its own slot and no other", arguments: passcodes.indices)
    func opensItsOwn(_ index: Int) throws {
        var store = try TestStore()
        try store.setPasscode(Self.passcodes[index])
        for (other, passcode) in Self.passcodes.enumerated() {
            let key = try store.slotKey(passcode)
            #expect((key != nil) == (index == other))
            guard let key else { continue }
            #expect(try store.keybag().unlock(with: key).isLocked == false)
        }
    }

    @Test("a passcode is worth nothing without the root key")
    func needsRootKey() throws {
        let store = try TestStore.withPasscode()
        let slot = try #require(try store.keybag().passcodeSlot)
        #expect(try slot.open("1234", rootKey: store.rootKey) != nil)
        #expect(try slot.open("1234", rootKey: SoftwareRootKey.ephemeral()) == nil)
    }

    @Test("a slot that was altered does not open", arguments: 0..<4)
    func alteredSlot(_ part: Int) throws {
        let store = try TestStore.withPasscode()
        let slot = try #require(try store.keybag().passcodeSlot)
        let altered = PasscodeSlot(
            work: part == 0 ? ScryptParameters(log2Cost: 5, blockSize: 8, parallelization: 1) : slot.work,
            storeIdentifier: part == 3 ? .zero : slot.storeIdentifier,
            salt: part == 1 ? slot.salt.map { $0 ^ 1 } : slot.salt,
            wrappedSlotKey: part == 2 ? slot.wrappedSlotKey.reversed() : slot.wrappedSlotKey
        )
        #expect(try altered.open("1234", rootKey: store.rootKey) == nil)
    }

    @Test("the two halves of a slot key give it back together, and nothing alone")
    func handsOver() throws {
        let store = try TestStore.withPasscode()
        let key = try #require(store.slotKey)
        let id = try #require(Bytes16(Array(repeating: 7, count: 16)))
        let (one, other) = (try key.makeHandover(store: id), try key.makeHandover(store: id))
        #expect(one.key.count == 32 && one.wrapped.count == 40)
        #expect(one.key != other.key && one.wrapped != other.wrapped)
        let arrived = try #require(SlotKey(one, store: id))
        #expect(try store.keybag().unlock(with: arrived).isLocked == false)
        #expect(SlotKey(SlotKey.Handover(key: one.key, wrapped: other.wrapped), store: id) == nil)
        #expect(SlotKey(one, store: .zero) == nil)
        #expect(SlotKey(SlotKey.Handover(key: other.key, wrapped: one.wrapped), store: id) == nil)
        #expect(SlotKey(SlotKey.Handover(key: SecretBytes(), wrapped: one.wrapped), store: id) == nil)
        #expect(SlotKey(SlotKey.Handover(key: one.key, wrapped: []), store: id) == nil)
        #expect(SlotKey(SlotKey.Handover(key: one.key, wrapped: one.wrapped + [0]), store: id) == nil)
    }
}
