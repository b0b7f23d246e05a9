// SPDX-License-Identifier: Apache-2.0

import Foundation
import Keychain
import KeychainTesting
import Security
import Testing

@Suite("Errors name the conflicting item", .keychain(entitlements: .grouped))
struct ErrorPrecisionTests {
    private let plain = Protection.accessible(.whenUnlocked)

    @Test("A move onto another item names that one", arguments: Way.allCases)
    func moved(way: Way) throws {
        let keychain = try way.subject().keychain
        let one = GenericPassword(service: "s", account: "ada", accessGroup: Entitlements.defaultGroup)
        let two = one.inAccessGroup(Entitlements.sharedGroup)
        try keychain.set("1", for: one, protection: plain)
        try keychain.set("2", for: two, protection: plain)
        let error = failure { () throws(KeychainItemError) in
            try keychain.update(one, with: ItemUpdate(accessGroup: Entitlements.sharedGroup))
        }
        #expect(error?.isDuplicate == true)
        #expect(error?.item as? GenericPassword == one)
        #expect(error?.reason.contains(two.description) == true)
        #expect(error?.reason.contains(one.description) == false)
    }

    @Test("An add of an existing item names it")
    func added() throws {
        let keychain = SystemKeychain()
        let item = GenericPassword(service: "s", account: "ada")
        try keychain.set("1", for: item, protection: plain)
        let error = failure { () throws(KeychainItemError) in try keychain.add("2", for: item, protection: plain) }
        #expect(error?.reason.contains(item.description) == true)
    }

    @Test("A full disk is reported as such, without advice to set a passcode")
    func full() throws {
        let keychain = SystemKeychain()
        let item = GenericPassword(service: "s")
        let device = try #require(App.current).device
        try keychain.set("1", for: item, protection: plain)
        try device.setStorageCondition(.full)
        let error = failure { () throws(KeychainItemError) in try keychain.set("2", for: item, protection: plain) }
        #expect(error?.kind == .notWritable)
        #expect(error?.status == errSecDiskFull)
        #expect(error?.advice.contains("passcode") == false)
        #expect(error?.advice.contains("room") == true)
        try device.setStorageCondition(.healthy)
        #expect(try keychain.string(for: item) == "1")
    }
}
