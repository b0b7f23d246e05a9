// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainHost
import KeychainProtection
import KeychainSimulation
import KeychainStore
import KeychainTestSupport
import Testing

@testable import KeychainEngine

/// Items by their lookup attributes while the device is locked, or the owner has to authenticate.
struct LookupLockTests {
    private static let passcode = SecretBytes(Array(VirtualDevice.defaultPasscode.utf8))

    /// A device with an item that was stored with lookup attributes, and one of the item functions.
    private func makeDevice() throws -> (VirtualDevice, stored: ItemIdentifier, derived: ItemIdentifier) {
        let device = try VirtualDevice(storage: .file)
        let stored = try device.keychain.store(["service": "S", "k": "v"], "secret", label: "L").identifier
        #expect(device.keychain.add("A", "other") == .done)
        let derived = try #require(try device.keychain.search(["account": "A"]).first).identifier
        return (device, stored, derived)
    }

    @Test(
        "while locked, searches find both kinds; lookup attributes, labels and dates can be read, and nothing of others"
    )
    func locked() throws {
        let (device, stored, derived) = try makeDevice()
        let open = try device.keychain.describe([stored, derived])
        try device.keychain.device.lock()
        #expect(try device.keychain.search(["k": "v"]) == [LookupMatch(stored, isLocked: true)])
        #expect(try device.keychain.search(["account": "A"]) == [LookupMatch(derived, isLocked: true)])
        #expect(try device.keychain.search(["service": "S", "k": "w"]) == [])
        #expect(try device.keychain.search([:]).count == 2)
        var expected = open[0]
        expected.isLocked = true
        #expect(try device.keychain.describe([stored, derived]) == [expected, LookupItem(derived, isLocked: true)])
        #expect(expected.attributes == ["service": "S", "k": "v"] && expected.created != nil)
        #expect(try device.keychain.secrets([stored, derived]) == [])
        let attempts: [() throws -> Void] = [
            { try device.keychain.store(["service": "S", "k": "v"], "changed") },
            { try device.keychain.store(["service": "new"], "new") },
            { try device.keychain.change(stored, .label("x")) },
            { try device.keychain.change(stored, .secret(SecretBytes(), contentType: "")) },
            { try device.keychain.deleteItem(stored) }, { try device.keychain.deleteItem(derived) },
        ]
        for attempt in attempts {
            let failure = #expect(throws: KeychainError.self) { try attempt() }
            #expect(failure?.status == .interactionNotAllowed)
        }
        try device.keychain.device.unlock(passcode: Self.passcode)
        #expect(try device.keychain.found(["k": "v"]) == ["secret"])
        #expect(try device.keychain.describe([stored, derived]) == open)
    }

    @Test("before the first unlock, a search finds by the lists, and nothing else is known")
    func beforeFirstUnlock() throws {
        let (device, stored, derived) = try makeDevice()
        let other = try device.anotherProcess()
        #expect(try other.search(["k": "v", "service": "S"]) == [LookupMatch(stored, isLocked: true)])
        #expect(try other.search(["k": "v", "service": "T"]) == [])
        #expect(try other.search(["user": "A"]) == [LookupMatch(derived, isLocked: true)])
        #expect(
            try other.describe([stored, derived]) == [stored, derived].map { LookupItem($0, isLocked: true) }
        )
    }

    @Test(
        "an item that an item function makes always available stays known, and can be changed before the first unlock"
    )
    func alwaysAvailable() throws {
        let (device, stored, _) = try makeDevice()
        try device.keychain.updateService("S", ["pdmn": .string("dku")])
        let other = try device.anotherProcess()
        #expect(try other.search(["k": "v"]) == [LookupMatch(stored, isLocked: false)])
        #expect(try other.describe([stored]).map(\.attributes) == [["service": "S", "k": "v"]])
        try other.updateService("S", ["svce": .string("T")])
        #expect(try other.found(["service": "T", "k": "v"]) == ["secret"])
        try other.change(stored, .label("changed"))
        #expect(try device.keychain.describe([stored]).map(\.label) == ["changed"])
    }

    @Test("an item under an access control is locked by itself, until the context has shown what it asks for")
    func accessControl() throws {
        let (device, stored, _) = try makeDevice()
        try device.keychain.updateService("S", PropertyDictionary([String: PropertyValue].access(.userPresence)))
        let context = AuthenticationContext()
        #expect(try device.keychain.search(["k": "v"]) == [LookupMatch(stored, isLocked: true)])
        #expect(try device.keychain.secrets([stored], context: context) == [])
        let item = try #require(try device.keychain.describe([stored]).first)
        #expect(item.isLocked && item.attributes == ["service": "S", "k": "v"] && item.label == "L")
        let failure = #expect(throws: KeychainError.self) { try device.keychain.change(stored, .label("x")) }
        #expect(failure?.status == .interactionNotAllowed)
        #expect(device.prompts == [])
        let access = try #require([String: PropertyValue].access(.userPresence)["accc"])
        guard case .accessControl(let accessControl) = access else {
            Issue.record("the attribute is no access control")
            return
        }
        try device.keychain.authentication.evaluate(accessControl, reason: "to test", context)
        #expect(try device.keychain.search(["k": "v"], context: context) == [LookupMatch(stored, isLocked: false)])
        #expect(try device.keychain.secrets([stored], context: context).map(\.text) == ["secret"])
    }

    @Test("items that go with the passcode go from the lists, and from searches at once")
    func destroyed() throws {
        let (device, _, _) = try makeDevice()
        try device.keychain.updateService("S", ["pdmn": .string("akpu")])
        try device.keychain.device.removePasscode(Self.passcode)
        #expect(try device.keychain.search(["k": "v"]) == [])
        #expect(try device.keychain.check().isSound)
        try device.keychain.device.setPasscode(Self.passcode)
        #expect(try device.keychain.maintenance.storeStatus().features == [])
    }

    @Test("no lookup attribute is readable in the file")
    func bytes() throws {
        let store = try TestStore()
        try store.open().store(
            ["service": "distinctive-service", "k": "distinctive-value"],
            "x",
            label: "distinctive-l"
        )
        try store.checkpoint()
        let file = try FileBytes(path: store.file("keychain.db"))
        #expect(!file.contain(Array("distinctive".utf8)))
    }
}
