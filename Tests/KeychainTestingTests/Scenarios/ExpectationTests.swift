// SPDX-License-Identifier: Apache-2.0

import KeychainTesting
import Security
import Testing

@Suite("The keychain answers after an event as the scenario says")
struct ExpectationTests {
    @Test("on iOS", arguments: Scenario.all, Scenario.Protection.allCases)
    func iOS(_ scenario: Scenario, _ protection: Scenario.Protection) throws {
        try check(scenario, with: protection, on: .iOS)
    }

    @Test("behind the front end of macOS", arguments: Scenario.all, Scenario.Protection.allCases)
    func macOS(_ scenario: Scenario, _ protection: Scenario.Protection) throws {
        try check(scenario, with: protection, on: .macOS)
    }

    @Test("in the simulator, which takes nothing away", arguments: Scenario.all, Scenario.Protection.allCases)
    func simulator(_ scenario: Scenario, _ protection: Scenario.Protection) throws {
        try check(scenario, with: protection, on: .simulator)
    }

    private func check(
        _ scenario: Scenario,
        with protection: Scenario.Protection,
        on platform: VirtualDevice.Platform
    ) throws {
        try scenario.play(on: platform) { world in
            #expect(Calls.add("token", Calls.item(protection.attributes)) == errSecSuccess)
            #expect(world.expectation(for: protection) == .isThere)
        } afterwards: { world in
            let (status, token) = Calls.read(Calls.item)
            let added = Calls.add("other", Calls.item)
            switch world.expectation(for: protection) {
            case .isThere:
                #expect(status == errSecSuccess && token == "token")
            case .isUnreadableForNow:
                #expect(status == errSecInteractionNotAllowed)
                try world.device.unlock()
                #expect(Calls.read(Calls.item).token == "token")
            case .isUnreadableForGood:
                #expect(status == errSecAuthFailed && added == errSecDuplicateItem)
                let isEnrolled = world.device.passcode != nil
                let again = Calls.add("other", Calls.item(protection.attributes))
                #expect(again == (isEnrolled ? errSecDuplicateItem : errSecAuthFailed))
                if !isEnrolled { try world.device.setPasscode("9999") }
                #expect(Calls.read(Calls.item).status == errSecAuthFailed)
                world.device.enrollBiometry()
                #expect(Calls.read(Calls.item).status == errSecAuthFailed)
            case .isGone:
                #expect(status == errSecItemNotFound && added == errSecSuccess)
            case .belongsToSomebodyElse:
                #expect(status == errSecItemNotFound && added == errSecSuccess)
                let named = Calls.item([kSecAttrAccessGroup as String: Scenario.entitlements.accessGroups[0]])
                #expect(Calls.read(named).status == errSecMissingEntitlement)
            }
        }
    }
}
