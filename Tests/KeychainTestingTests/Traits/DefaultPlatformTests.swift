// SPDX-License-Identifier: Apache-2.0

import Foundation
import Security
import Testing

@testable import KeychainTesting

@Suite("A device for which a test names no platform has that of SWIFT_KEYCHAIN_PLATFORM")
struct DefaultPlatformTests {
    @Test("by each way to a device", arguments: [("macOS", "macOS"), ("iOS", "iOS"), ("", "iOS"), ("Windows", "iOS")])
    func platform(setting: String, expected: String) async {
        await #expect(processExitsWith: .success) { [setting = setting as String, expected = expected as String] in
            setenv("SWIFT_KEYCHAIN_PLATFORM", setting, 1)
            let platform = try #require(VirtualDevice.Platform(rawValue: expected))
            let trait = KeychainTrait.keychain
            #expect(try VirtualDevice().platform == platform)
            #expect(try trait.makeDevice().platform == platform)
            #expect(try ScenarioWorld(.lockedInBackground).device.platform == platform)
            var played: VirtualDevice.Platform?
            try Scenario.restoredToNewDevice.play { _ in
            } afterwards: {
                played = $0.device.platform
            }
            #expect(played == platform)
            let isForPhones = try KeychainContract.report(of: SecItemFunctions()).notRun.isEmpty
            #expect(isForPhones == (platform == .iOS), "rules of iOS alone")
        }
    }

    @Test("and the front end of macOS passes over what that of iOS refuses, unless the test names a phone")
    func frontEnd() async {
        await #expect(processExitsWith: .success) {
            setenv("SWIFT_KEYCHAIN_PLATFORM", "macOS", 1)
            let query = [kSecClass: kSecClassGenericPassword, kSecMatchLimit: kSecMatchLimitAll] as CFDictionary
            let status = try VirtualDevice().install().run { SecItemDelete(query) }
            #expect(status == errSecItemNotFound)
            let refused = try VirtualDevice(.iOS).install().run { SecItemDelete(query) }
            #expect(refused == errSecParam)
        }
    }
}
