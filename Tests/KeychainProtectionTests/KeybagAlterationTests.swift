// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import Testing

@testable import KeychainProtection

/// Keybags that were altered: a typed error, never keys in the wrong place.
struct KeybagAlterationTests {
    private let store: TestStore

    init() throws { store = try .withPasscode() }

    @Test("a keybag with any one wrong byte is a typed error", arguments: [0x01, 0x80, 0xFF] as [UInt8])
    func alteredBytes(_ mask: UInt8) {
        for index in store.bytes.indices {
            var altered = store.bytes
            altered[index] ^= mask
            expectError(altered, "byte \(index)")
        }
    }

    @Test("a keybag of any other length is a typed error")
    func otherLengths() {
        for count in store.bytes.indices {
            expectError(Array(store.bytes.prefix(count)), "\(count) bytes")
            if count > 0 { expectError(Array(store.bytes.suffix(count)), "the last \(count) bytes") }
        }
        expectError(store.bytes + [0], "one more")
    }

    @Test("an older keybag's slots and keys do not go into a newer one")
    func olderSlots() throws {
        var newer = store
        try newer.changePasscode("5678")
        let older = try store.keybag().keybag
        var changed = try newer.keybag().keybag
        changed.slots = older.slots
        #expect(throws: ProtectionError.damagedKeybag("its authentication code is wrong")) {
            try OpenKeybag(
                KeybagCodec.seal(changed, authenticationKey: .random()),
                rootKey: store.rootKey,
                floor: TestStore.floor
            )
        }
        // With a right code, which takes the root key: the old passcode opens the old slot, and its key nothing.
        let bytes = try newer.forged { $0.slots = older.slots }
        let keybag = try OpenKeybag(bytes, rootKey: store.rootKey, floor: TestStore.floor)
        let key = try #require(try keybag.passcodeSlot?.open("1234", rootKey: store.rootKey))
        #expect(throws: ProtectionError.damagedKeybag("one of its keys does not unwrap")) {
            try keybag.unlock(with: key)
        }
        // The bytes as they lie in the file, each slot and key of the old keybag in the place of the new one.
        for cut in stride(from: 1, to: store.bytes.count, by: 5) where store.bytes.count == newer.bytes.count {
            guard store.bytes[..<cut] != newer.bytes[..<cut], store.bytes[cut...] != newer.bytes[cut...] else {
                continue
            }
            expectError(Array(store.bytes[..<cut] + newer.bytes[cut...]), "cut at \(cut)")
        }
    }

    @Test("keys that changed places do not unwrap, even under a right code")
    func swappedKeys() throws {
        let count = try store.keybag().keybag.entries.count
        let slotKey = try #require(store.slotKey)
        #expect(count == 15)
        for one in 0..<count {
            for other in 0..<count where other != one {
                let bytes = try store.forged { $0.entries[one].wrappedKey = $0.entries[other].wrappedKey }
                #expect(throws: ProtectionError.damagedKeybag("one of its keys does not unwrap"), "\(one), \(other)") {
                    try OpenKeybag(bytes, rootKey: store.rootKey, floor: TestStore.floor).unlock(with: slotKey)
                }
            }
        }
    }

    struct Forgery: CustomTestStringConvertible {
        let testDescription: String
        let change: @Sendable (inout Keybag) -> Void

        init(_ description: String, _ change: @escaping @Sendable (inout Keybag) -> Void) {
            testDescription = description
            self.change = change
        }
    }

    static let forgeries = [
        Forgery("no passcode slot") { $0.slots.removeLast() },
        Forgery("the passcode slot first") { $0.slots.reverse() },
        Forgery("two passcode slots") { $0.slots.append($0.slots[1]) },
        Forgery("two root slots") { $0.slots.insert($0.slots[0], at: 0) },
        Forgery("no keys") { $0.entries = [] },
        Forgery("a key fewer") { $0.entries.removeLast() },
        Forgery("no index key") { $0.entries.removeFirst() },
        Forgery("a key more") { $0.entries.append($0.entries[3]) },
        Forgery("a key twice, another missing") { $0.entries[4] = $0.entries[3] },
        Forgery("a key of a class that there is not") { $0.entries[1].purpose = .classKey(.untilReboot) },
        Forgery("a key under the root slot") { $0.entries[1].slot = .root },
        Forgery("the index key under the passcode slot") { $0.entries[0].slot = .passcode },
        Forgery("a key of another generation") { $0.entries[1].generation += 1 },
        Forgery("an older generation of akpu") { $0.passcodeGeneration += 1 },
        Forgery("another generation of all others") { $0.generation += 1 },
        Forgery("less work than is allowed") { ask(log2Cost: 3, &$0) },
        Forgery("work that is not allowed") { ask(log2Cost: 31, &$0) },
    ]

    /// Has the passcode slot ask for other work.
    private static func ask(log2Cost: UInt8, _ keybag: inout Keybag) {
        guard let slot = keybag.passcodeSlot else { return }
        keybag.slots[1] = .passcode(
            PasscodeSlot(
                work: ScryptParameters(log2Cost: log2Cost, blockSize: 8, parallelization: 1),
                storeIdentifier: slot.storeIdentifier,
                salt: slot.salt,
                wrappedSlotKey: slot.wrappedSlotKey
            )
        )
    }

    @Test("a keybag of another shape is damaged, even under a right code", arguments: forgeries)
    func forged(_ forgery: Forgery) throws {
        let bytes = try store.forged { forgery.change(&$0) }
        #expect {
            try OpenKeybag(bytes, rootKey: store.rootKey, floor: TestStore.floor)
        } throws: {
            guard case .damagedKeybag(let why)? = $0 as? ProtectionError else { return false }
            return !why.contains("authentication")
        }
    }

    @Test("a keybag without a passcode has no keys of akpu and none under a passcode slot")
    func forgedWithoutPasscode() throws {
        let plain = try TestStore()
        let entries = try store.keybag().keybag.entries
        for entry in entries where entry.slot == .passcode {
            let bytes = try plain.forged { keybag in
                keybag.entries.removeAll { $0.purpose == entry.purpose }
                keybag.entries.append(entry)
            }
            #expect(throws: ProtectionError.self) { try OpenKeybag(bytes, rootKey: plain.rootKey) }
        }
    }

    @Test("a passcode that asks for less work than a file may is damage, and says so")
    func weakWork() {
        #expect(throws: ProtectionError.damagedKeybag("its passcode asks for less work than is allowed")) {
            try OpenKeybag(store.bytes, rootKey: store.rootKey)
        }
    }

    @Test("the store of another owner is refused, whoever has its root key", arguments: [0, 2, 3, 255] as [UInt8])
    func foreignOwner(_ number: UInt8) throws {
        let owner = StoreOwner(rawValue: number)
        let bytes = try store.forged { $0.owner = owner }
        #expect(throws: ProtectionError.foreignOwner(owner)) {
            try OpenKeybag(bytes, rootKey: store.rootKey, floor: TestStore.floor)
        }
        #expect(try KeybagOrigin(bytes).owner == owner)
        // For its owner it is what it was.
        let opened = try OpenKeybag(bytes, rootKey: store.rootKey, owner: owner, floor: TestStore.floor)
        #expect(opened.storeIdentifier == (try store.keybag().storeIdentifier))
        // And whoever has no root key cannot make it one's own.
        var altered = bytes
        altered[22] = StoreOwner.embedded.rawValue
        #expect(throws: ProtectionError.damagedKeybag("its authentication code is wrong")) {
            try OpenKeybag(altered, rootKey: store.rootKey, floor: TestStore.floor)
        }
    }

    @Test("a root key of another kind is said to be one", arguments: [0, 2, 3, 255] as [UInt8])
    func otherKind(_ number: UInt8) throws {
        let kind = RootKeyKind(rawValue: number)
        let bytes = try store.forged { $0.rootKeyKind = kind }
        #expect(throws: ProtectionError.unsupportedRootKey(kind)) {
            try OpenKeybag(bytes, rootKey: store.rootKey, floor: TestStore.floor)
        }
        #expect(try KeybagOrigin(bytes).rootKeyKind == kind)
    }

    @Test(
        "other versions are told from damage",
        arguments: [(0, 0), (1, 0), (2, 0), (1, 2), (0, 3)] as [(UInt8, UInt8)]
    )
    func otherVersions(_ low: UInt8, _ high: UInt8) {
        var altered = store.bytes
        altered[4...5] = [low, high]
        let expected =
            high >= 2
            ? ProtectionError.newerKeybag(version: Int(high) << 8 | Int(low))
            : .damagedKeybag("it has no version that was released")
        #expect(throws: expected) { try OpenKeybag(altered, rootKey: store.rootKey) }
    }

    @Test("a keybag of an earlier revision of the format is read, of another format or a later revision it is not")
    func revisions() throws {
        let versions: [(version: UInt16, expected: ProtectionError?)] = [
            (0x0200, nil), (0x0202, nil), (0x0203, nil), (0x0204, .newerKeybag(version: 0x0204)),
            (0x0300, .newerKeybag(version: 0x0300)), (0x01FF, .damagedKeybag("it has no version that was released")),
        ]
        for (version, expected) in versions {
            var bytes: [UInt8] = []
            bytes.append(littleEndian: version)
            var found: ProtectionError?
            do {
                var reader = ByteReader(bytes[...])
                try FileFormat.checkVersion(&reader, current: 0x0203)
            } catch {
                found = error as? ProtectionError
            }
            #expect(found == expected, "\(version)")
        }
    }

    @Test("another root key is told from damage")
    func otherRootKey() {
        #expect(throws: ProtectionError.wrongRootKey) {
            try OpenKeybag(store.bytes, rootKey: SoftwareRootKey.ephemeral(), floor: TestStore.floor)
        }
    }

    private func expectError(_ bytes: [UInt8], _ comment: Comment) {
        #expect(throws: ProtectionError.self, comment) {
            try OpenKeybag(bytes, rootKey: store.rootKey, floor: TestStore.floor)
        }
    }
}
