// SPDX-License-Identifier: Apache-2.0

import KeychainTesting
import Security
import Testing

@Suite("An event of a scenario happens, or says why it cannot")
struct EventTests {
    @Test(
        "an app that stores in its own group cannot lose it to an update",
        arguments: [
            Entitlements.example,
            Entitlements(
                team: "TEAMID1234",
                bundleIdentifier: "com.example.app",
                keychainAccessGroups: ["com.example.app"]
            ),
            Entitlements(
                team: "TEAMID1234",
                bundleIdentifier: "com.example.app",
                applicationGroups: ["group.com.example"]
            ),
        ]
    )
    func ownGroup(_ entitlements: Entitlements) throws {
        let world = try ScenarioWorld(.entitlementRemoved, as: entitlements)
        #expect(world.run { Calls.add("t", Calls.item) } == errSecSuccess)
        #expect(throws: VirtualDeviceError.self) { try world.triggerEvent() }
        #expect(world.app.entitlements == entitlements && !world.hasHappened)
        #expect(world.expectation() == .isThere)
        #expect(world.run { Calls.read(Calls.item).token } == "t")
        world.app.update { $0.keychainAccessGroups = ["com.example.shared"] }
        try world.triggerEvent()
        #expect(world.hasHappened && world.app.entitlements.keychainAccessGroups.isEmpty)
    }

    @Test("an app of whatever team gets another one", arguments: ["TEAMID1234", "NEWTEAM123", "NEWTEAM456"])
    func team(_ team: String) throws {
        let entitlements = Entitlements(team: team, bundleIdentifier: "com.example.app")
        let world = try ScenarioWorld(.teamChanged, as: entitlements)
        #expect(world.run { Calls.add("t", Calls.item) } == errSecSuccess)
        try world.triggerEvent()
        #expect(world.app.entitlements.team != team)
        #expect(world.run { Calls.read(Calls.item).status } == errSecItemNotFound)
    }

    @Test("other attributes are stored past the log and the faults of the test")
    func otherAttributes() throws {
        let world = try ScenarioWorld(.duplicateThroughNonKeyAttribute)
        #expect(world.run { Calls.add("t", Calls.item) } == errSecSuccess)
        let calls = world.device.calls.count
        world.device.faults.fail(with: errSecIO, on: [.update])
        try world.triggerEvent()
        #expect(world.device.calls.count == calls)
        let generic = Calls.item([kSecAttrGeneric as String: Data("stored by an earlier version".utf8)])
        #expect(world.run { Calls.read(generic).token } == "t")
        let update = world.run { SecItemUpdate(Calls.item as CFDictionary, [:] as CFDictionary) }
        #expect(update == errSecIO)
    }

    @Test("other attributes that the device refuses to store are an error")
    func lockedDevice() throws {
        let world = try ScenarioWorld(.duplicateThroughNonKeyAttribute)
        #expect(world.run { Calls.add("t", Calls.item) } == errSecSuccess)
        try world.device.lock()
        #expect(throws: VirtualDeviceError.self) { try world.triggerEvent() }
        #expect(!world.hasHappened)
        try world.device.unlock()
        try world.triggerEvent()
        #expect(world.hasHappened)
    }
}
