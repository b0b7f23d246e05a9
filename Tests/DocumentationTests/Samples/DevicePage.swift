// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainTesting
import Security
import Testing

/// The samples of ADeviceAndItsOwner.
@Suite("The samples of the page about a device and its owner")
struct DevicePageSamples {
    private let query =
        [
            kSecClass: kSecClassGenericPassword, kSecAttrService: "service", kSecAttrAccount: "account",
            kSecReturnData: true,
        ] as CFDictionary

    private func guarded(in app: App) throws {
        let control = try #require(
            SecAccessControlCreateWithFlags(nil, kSecAttrAccessibleWhenUnlocked, .userPresence, nil)
        )
        #expect(app.run { add([kSecAttrAccessControl: control]) } == errSecSuccess)
    }

    private func add(_ more: [CFString: Any] = [:]) -> OSStatus {
        let item: [CFString: Any] = [
            kSecClass: kSecClassGenericPassword, kSecAttrService: "service", kSecAttrAccount: "account",
            kSecValueData: Data("secret".utf8),
        ]
        return SecItemAdd(item.merging(more) { $1 } as CFDictionary, nil)
    }

    private func secret() -> Data? {
        var result: CFTypeRef?
        return SecItemCopyMatching(query, &result) == errSecSuccess ? result as? Data : nil
    }

    @Test func owner() throws {
        let device = try VirtualDevice()
        let app = device.install()
        try guarded(in: app)
        device.owner.answer = .cancels
        let status = app.run { SecItemCopyMatching(query, nil) }
        let reasons = device.owner.questions.map(\.reason)
        #expect(status == errSecUserCanceled)
        #expect(reasons.count == 1)
    }

    @Test func biometry() throws {
        let device = try VirtualDevice(biometry: .touchID)
        device.enrollBiometry()
        device.removeBiometry()
        device.isBiometryLockedOut = true
        #expect(device.isBiometryLockedOut)
    }

    @Test func lock() throws {
        let device = try VirtualDevice()
        try device.lock()
        try device.unlock()
        device.reboot()
        try device.unlock()
        try device.removePasscode()
        #expect(device.passcode == nil)
    }

    @Test func backup() throws {
        let device = try VirtualDevice()
        #expect(device.install().run { add() } == errSecSuccess)
        let backup = try device.backUp(password: "password")
        let phone = try VirtualDevice()
        try phone.restore(backup, password: "password")
        let app = phone.install()
        #expect(app.run { secret() } == Data("secret".utf8))
    }

    @Test func apps() throws {
        let device = try VirtualDevice()
        let entitlements = Entitlements(
            team: "TEAMID1234",
            bundleIdentifier: "com.example.app",
            keychainAccessGroups: ["shared"]
        )
        let app = device.install(entitlements)
        let share = app.installExtension("share", keychainAccessGroups: ["shared"])
        #expect(app.run { add() } == errSecSuccess)
        #expect(share.run { secret() } == Data("secret".utf8))
        app.update { $0.keychainAccessGroups = [] }
        app.transfer(toTeam: "TEAMID5678")
        app.uninstall()
        #expect(!share.isInstalled)
    }

    @Test func time() throws {
        let device = try VirtualDevice()
        let before = device.clock.date
        device.clock.advance(by: .seconds(300))
        #expect(device.clock.date.timeIntervalSince(before) == 300)
    }
}
