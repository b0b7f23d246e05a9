// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainProtection
import KeychainTestSupport
import Testing

@testable import KeychainEngine

/// Which access groups a keychain says that items are in.
struct KnownGroupsTests {
    private static let passcode = SecretBytes([1])

    private static func add(
        _ account: String,
        level: String = "ak",
        to group: String,
        in keychain: EmbeddedKeychain
    ) throws -> SecretBytes {
        let item: PropertyDictionary = [
            "class": .string("genp"), "acct": .string(account), "pdmn": .string(level),
            "r_PersistentRef": .boolean(true),
        ]
        let request = KeychainRequest(.add(item), client: Client(accessGroups: [group]))
        guard case .single(.data(let reference)) = try keychain.perform(request) else { return SecretBytes() }
        return reference
    }

    @Test("each group once, in the order of their bytes, of items of every class; none where there is no store")
    func order() throws {
        let store = try TestStore()
        #expect(try store.open().accessGroups() == [])
        let keychain = EmbeddedKeychain.inMemory()
        #expect(try keychain.accessGroups() == [])
        for (account, group) in [("1", "b"), ("2", "a"), ("3", "a"), ("4", "B")] {
            _ = try Self.add(account, to: group, in: keychain)
        }
        let key: PropertyDictionary = ["class": .string("inet"), "acct": .string("5")]
        _ = try keychain.perform(KeychainRequest(.add(key), client: Client(accessGroups: ["c"])))
        #expect(try keychain.accessGroups() == ["B", "a", "b", "c"])
    }

    @Test("a damaged item hides no other of its group")
    func damaged() throws {
        let keychain = EmbeddedKeychain.inMemory()
        let reference = try Self.add("1", to: "a", in: keychain)
        _ = try Self.add("2", to: "a", in: keychain)
        _ = try keychain.damage(reference)
        #expect(try keychain.accessGroups() == ["a"])
    }

    @Test("of a locked item the group is known that was known before")
    func locked() throws {
        var device = DeviceOptions()
        device.passwordWork = .testing
        let keychain = EmbeddedKeychain.inMemory(device: device)
        try keychain.device.setPasscode(Self.passcode)
        _ = try Self.add("1", level: "ak", to: "a", in: keychain)
        _ = try Self.add("2", level: "ck", to: "b", in: keychain)
        _ = try Self.add("3", level: "ak", to: "b", in: keychain)
        try keychain.device.lock()
        #expect(try keychain.accessGroups() == ["b"])
        try keychain.device.unlock(passcode: Self.passcode)
        #expect(try keychain.accessGroups() == ["a", "b"])
        try keychain.device.lock()
        #expect(try keychain.accessGroups() == ["a", "b"])
    }

    @Test("names are remembered up to a limit of bytes, and none that is longer than any program's")
    func bounded() throws {
        let keychain = EmbeddedKeychain.inMemory()
        let padding = String(repeating: "x", count: 1_000)
        for number in 0..<1_200 { _ = try Self.add("1", to: "\(number).\(padding)", in: keychain) }
        let long = String(repeating: "y", count: 1 << 20)
        _ = try Self.add("1", to: long, in: keychain)
        #expect(try keychain.accessGroups().count == 1_201)
        let size = keychain.knownGroups.size
        #expect(size.count > 0 && size.byteCount <= 1 << 20)
        #expect(try keychain.accessGroups().contains(long), "it is learned again each time")
        #expect(keychain.knownGroups.size.byteCount <= 1 << 20)
    }

    @Test("an unlock has a number until the next lock")
    func currentUnlock() throws {
        var device = DeviceOptions()
        device.passwordWork = .testing
        let keychain = EmbeddedKeychain.inMemory(device: device)
        #expect(try keychain.currentUnlock() == nil)
        try keychain.device.setPasscode(Self.passcode)
        let first = try #require(try keychain.currentUnlock())
        try keychain.device.unlock(passcode: Self.passcode)
        #expect(try keychain.currentUnlock() == first)
        try keychain.device.lock()
        #expect(try keychain.currentUnlock() == nil)
        try keychain.device.unlock(passcode: Self.passcode)
        #expect(try keychain.currentUnlock() != first)
        try keychain.device.removePasscode(Self.passcode)
        #expect(try keychain.currentUnlock() == nil)
    }
}
