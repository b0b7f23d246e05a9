// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCloud
import KeychainSimulation
import Security
import Testing

/// Two devices of one person, in one test.
struct VirtualCloudTests {
    private let cloud = VirtualCloud()
    private let phone: Phone
    private let tablet: Phone

    /// A device with an app that keeps tokens.
    private struct Phone {
        let device: VirtualDevice
        let app: App

        init(_ device: VirtualDevice) {
            self.device = device
            app = device.install("com.example.app", team: "TEAMID1234")
        }

        private func query(_ account: String) -> [CFString: Any] {
            [
                kSecClass: kSecClassGenericPassword, kSecAttrService: "tokens", kSecAttrAccount: account,
                kSecAttrSynchronizable: true,
            ]
        }

        @discardableResult
        func add(_ account: String, _ token: String, level: CFString? = nil) -> OSStatus {
            var attributes = query(account)
            attributes[kSecValueData] = Data(token.utf8)
            attributes[kSecAttrAccessible] = level
            return app.run { SecItemAdd(attributes as CFDictionary, nil) }
        }

        @discardableResult
        func update(_ account: String, _ token: String) -> OSStatus {
            app.run {
                SecItemUpdate(query(account) as CFDictionary, [kSecValueData: Data(token.utf8)] as CFDictionary)
            }
        }

        @discardableResult
        func delete(_ account: String) -> OSStatus {
            app.run { SecItemDelete(query(account) as CFDictionary) }
        }

        func token(_ account: String) -> String? {
            var search = query(account)
            search[kSecReturnData] = true
            var result: CFTypeRef?
            let status = app.run { SecItemCopyMatching(search as CFDictionary, &result) }
            return status == errSecSuccess ? (result as? Data).map { String(decoding: $0, as: UTF8.self) } : nil
        }

        func attributes(_ account: String) -> [CFString: Any]? {
            var search = query(account)
            search[kSecReturnAttributes] = true
            search[kSecReturnPersistentRef] = true
            var result: CFTypeRef?
            _ = app.run { SecItemCopyMatching(search as CFDictionary, &result) }
            return result as? [CFString: Any]
        }
    }

    init() async throws {
        phone = Phone(try VirtualDevice(.iOS))
        tablet = Phone(try VirtualDevice(.iOS))
        try await phone.device.signIn(to: cloud)
        try await tablet.device.signIn(to: cloud)
    }

    @Test("a token is on the other device when both have exchanged, with its attributes; an update and a delete, too")
    func everyday() async throws {
        #expect(phone.add("ada", "one") == errSecSuccess && tablet.token("ada") == nil)
        try await cloud.settle()
        #expect(tablet.token("ada") == "one")
        let (sent, received) = (try #require(phone.attributes("ada")), try #require(tablet.attributes("ada")))
        for key in [kSecAttrModificationDate, kSecAttrCreationDate] {
            #expect(sent[key] as? Date == received[key] as? Date && sent[key] != nil)
        }
        #expect(sent[kSecAttrAccessGroup] as? String == received[kSecAttrAccessGroup] as? String)
        #expect(tablet.update("ada", "two") == errSecSuccess)
        try await cloud.settle()
        #expect(phone.token("ada") == "two")
        // A reference stays with the item of its device.
        #expect(phone.attributes("ada")?[kSecValuePersistentRef] as? Data == sent[kSecValuePersistentRef] as? Data)
        #expect(phone.delete("ada") == errSecSuccess)
        try await cloud.settle()
        #expect(tablet.token("ada") == nil && tablet.add("ada", "three") == errSecSuccess)
        try await cloud.settle()
        #expect(phone.token("ada") == "three")
    }

    @Test("of two changes the later one stays on both devices; the other one is kept where nobody else had it")
    func conflict() async throws {
        phone.add("ada", "old")
        try await cloud.settle()
        phone.update("ada", "earlier")
        tablet.device.clock.advance(by: .seconds(60))
        tablet.update("ada", "later")
        try await cloud.settle(order: 3)
        #expect(phone.token("ada") == "later" && tablet.token("ada") == "later")
        phone.device.isOnline = false
        phone.update("ada", "unseen")
        tablet.device.clock.advance(by: .seconds(60))
        tablet.update("ada", "newest")
        try await cloud.settle()
        phone.device.isOnline = true
        try await cloud.settle()
        #expect(phone.token("ada") == "newest")
        #expect(cloud.overwritten(on: phone.device).last == Array("unseen".utf8))
    }

    @Test("an item that bears two devices' adds under one primary key becomes one item")
    func sameKey() async throws {
        phone.add("ada", "of the phone")
        tablet.device.clock.advance(by: .seconds(1))
        tablet.add("ada", "of the tablet")
        try await cloud.settle()
        #expect(phone.token("ada") == "of the tablet" && tablet.token("ada") == "of the tablet")
        #expect(phone.add("ada", "again") == errSecDuplicateItem)
    }

    @Test("a change that arrives late loses to one that was made later, and a delete wins over what is older")
    func lateArrival() async throws {
        phone.add("ada", "old")
        try await cloud.settle()
        phone.device.isOnline = false
        phone.update("ada", "made first")
        tablet.device.clock.advance(by: .seconds(60))
        tablet.delete("ada")
        try await cloud.settle()
        phone.device.isOnline = true
        try await cloud.settle()
        #expect(phone.token("ada") == nil && tablet.token("ada") == nil)
    }

    @Test("while the tablet is locked it has the old token, of a level that needs no unlock the new one")
    func locked() async throws {
        phone.add("ada", "old", level: kSecAttrAccessibleWhenUnlocked)
        phone.add("background", "old", level: kSecAttrAccessibleAfterFirstUnlock)
        try await cloud.settle()
        try tablet.device.lock()
        phone.device.clock.advance(by: .seconds(1))
        phone.update("ada", "new")
        phone.update("background", "new")
        try await cloud.settle()
        #expect(tablet.token("background") == "new" && tablet.token("ada") == nil)
        try tablet.device.unlock()
        #expect(tablet.token("ada") == "old")
        try await cloud.settle()
        #expect(tablet.token("ada") == "new")
    }

    @Test("before the first unlock nothing arrives, and afterwards everything does")
    func beforeFirstUnlock() async throws {
        tablet.device.reboot()
        phone.add("ada", "one")
        phone.add("background", "two", level: kSecAttrAccessibleAfterFirstUnlock)
        try await cloud.settle()
        try tablet.device.unlock()
        #expect(tablet.token("ada") == nil && tablet.token("background") == nil)
        try await cloud.settle()
        #expect(tablet.token("ada") == "one" && tablet.token("background") == "two")
    }

    @Test("a token that is deleted while the phone is locked is deleted on the tablet")
    func deleteWhileLocked() async throws {
        phone.add("ada", "one")
        try await cloud.settle()
        try phone.device.lock()
        #expect(phone.delete("ada") == errSecSuccess)
        try await cloud.settle()
        #expect(tablet.token("ada") == nil)
        try phone.device.unlock()
        try await cloud.settle()
        #expect(phone.token("ada") == nil && phone.add("ada", "two") == errSecSuccess)
        try await cloud.settle()
        #expect(tablet.token("ada") == "two")
    }

    @Test("signing out keeps the items or removes them here, and the other device has them in any case")
    func signOut() async throws {
        phone.add("ada", "one")
        try await cloud.settle()
        try await tablet.device.signOut()
        phone.update("ada", "two")
        try await cloud.settle()
        #expect(tablet.token("ada") == "one" && tablet.device.cloud == nil)
        try await tablet.device.signIn(to: cloud)
        try await cloud.settle()
        #expect(tablet.token("ada") == "two")
        try await tablet.device.signOut(keepingItems: false)
        try await cloud.settle()
        #expect(tablet.token("ada") == nil && phone.token("ada") == "two")
    }

    @Test("a restored phone signs in again: what was changed since the backup stays, what was deleted stays deleted")
    func restored() async throws {
        phone.add("changed", "old")
        phone.add("deleted", "old")
        phone.add("kept", "old")
        try await cloud.settle()
        let backup = try phone.device.backUp(password: "backup")
        phone.device.clock.advance(by: .seconds(60))
        phone.update("changed", "new")
        phone.delete("deleted")
        try await cloud.settle()
        let restored = Phone(try VirtualDevice(restoring: backup, password: "backup", .iOS))
        #expect(restored.token("changed") == "old" && restored.device.cloud == nil)
        try await restored.device.signIn(to: cloud)
        try await cloud.settle()
        for device in [phone, tablet, restored] {
            #expect(device.token("changed") == "new" && device.token("deleted") == nil && device.token("kept") == "old")
        }
    }

    @Test("an erased phone takes nothing away from the others, and gets everything back")
    func erased() async throws {
        phone.add("ada", "one")
        try await cloud.settle()
        try phone.device.erase()
        try await cloud.settle()
        #expect(phone.device.cloud == nil && phone.token("ada") == nil && tablet.token("ada") == "one")
        try await phone.device.signIn(to: cloud)
        try await cloud.settle()
        #expect(phone.token("ada") == "one")
    }

    @Test("items that are not synchronizable, or bound to their device, stay")
    func localItems() async throws {
        let status = phone.app.run {
            SecItemAdd(
                [
                    kSecClass: kSecClassGenericPassword, kSecAttrService: "tokens", kSecAttrAccount: "local",
                    kSecValueData: Data("x".utf8),
                ] as [CFString: Any] as CFDictionary,
                nil
            )
        }
        #expect(status == errSecSuccess)
        phone.add("bound", "x", level: kSecAttrAccessibleWhenUnlockedThisDeviceOnly)
        try await cloud.settle()
        #expect(tablet.token("bound") == nil && phone.token("bound") == "x")
        #expect(tablet.add("local", "y") == errSecSuccess)
    }

    @Test("a phone whose clock is behind still changes what it sees")
    func clockBehind() async throws {
        tablet.add("ada", "one")
        try await cloud.settle()
        phone.device.clock.date -= 365 * 86_400
        #expect(phone.update("ada", "two") == errSecSuccess)
        try await cloud.settle()
        #expect(tablet.token("ada") == "two")
        phone.delete("ada")
        try await cloud.settle()
        #expect(tablet.token("ada") == nil)
        try phone.device.lock()
        try phone.device.unlock()
        phone.add("ada", "three")
        try await cloud.settle()
        #expect(tablet.token("ada") == "three" && phone.token("ada") == "three")
    }

    @Test("nothing travels while the cloud is out of reach, and everything afterwards")
    func unreachable() async throws {
        cloud.isReachable = false
        phone.add("ada", "one")
        try await cloud.settle()
        #expect(tablet.token("ada") == nil)
        cloud.isReachable = true
        try await cloud.settle()
        #expect(tablet.token("ada") == "one")
    }

    @Test("a device that is signed in, or locked, does not sign in")
    func refused() async throws {
        await #expect(throws: VirtualDeviceError.self) { try await phone.device.signIn(to: VirtualCloud()) }
        let other = try VirtualDevice(.iOS)
        try other.lock()
        await #expect(throws: VirtualDeviceError.self) { try await other.signIn(to: cloud) }
    }

    @Test(
        "random histories of three devices end equal, in any order of turns",
        arguments: 1...12 as ClosedRange<UInt64>
    )
    func histories(_ seed: UInt64) async throws {
        let third = Phone(try VirtualDevice(.iOS))
        try await third.device.signIn(to: cloud)
        let devices = [phone, tablet, third]
        var state = seed
        func random(_ count: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int((state >> 33) % UInt64(count))
        }
        for step in 0..<30 {
            let device = devices[random(3)]
            let account = ["a", "b", "c"][random(3)]
            device.device.clock.advance(by: .seconds(random(100)))
            switch random(10) {
            case 0...3:
                let level = [kSecAttrAccessibleWhenUnlocked, kSecAttrAccessibleAfterFirstUnlock][random(2)]
                if device.add(account, "\(step)", level: level) == errSecDuplicateItem {
                    device.update(account, "\(step)")
                }
            case 4: device.delete(account)
            case 5:
                if device.device.lockState == .unlocked { try device.device.lock() } else { try device.device.unlock() }
            case 6: device.device.isOnline.toggle()
            default: try await cloud.settle(order: UInt64(step))
            }
        }
        for device in devices {
            device.device.isOnline = true
            try device.device.unlock()
        }
        try await cloud.settle()
        for account in ["a", "b", "c"] {
            let tokens = Set(devices.map { $0.token(account) })
            #expect(tokens.count == 1, "\(account)")
        }
    }
}
