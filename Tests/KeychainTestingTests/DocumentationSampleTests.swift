// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainTesting
import Security
import Testing

/// The samples of ADeviceAndItsOwner, each as the page has it.
@Suite("The samples of the page about a device and its owner")
struct DocumentationSampleTests {
    private let query =
        [
            kSecClass: kSecClassGenericPassword, kSecAttrService: "service", kSecAttrAccount: "account",
            kSecReturnData: true,
        ] as CFDictionary

    private func guarded(in app: App) throws {
        let control = try #require(
            SecAccessControlCreateWithFlags(nil, kSecAttrAccessibleWhenUnlocked, .userPresence, nil)
        )
        #expect(app.run { Items.add(more: [kSecAttrAccessControl: control]) } == errSecSuccess)
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
        #expect(device.install().run { Items.add() } == errSecSuccess)
        let backup = try device.backUp(password: "password")
        let phone = try VirtualDevice()
        try phone.restore(backup, password: "password")
        let app = phone.install()
        #expect(app.run { Items.read().secret } == "secret")
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
        #expect(app.run { Items.add() } == errSecSuccess)
        #expect(share.run { Items.read().secret } == "secret")
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

    @Test("every line of the page's samples is compiled here")
    func lines() throws {
        let folder = "\(StrayTable.sources)/Sources/KeychainSimulation/KeychainSimulation.docc"
        let page = try String(contentsOfFile: "\(folder)/ADeviceAndItsOwner.md", encoding: .utf8)
        let own = try String(contentsOfFile: #filePath, encoding: .utf8)
        let compiled = Set(own.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) })
        var count = 0
        for block in page.components(separatedBy: "```swift\n").dropFirst() {
            for line in block.components(separatedBy: "\n```")[0].components(separatedBy: "\n") {
                let code = line.components(separatedBy: "    //")[0].trimmingCharacters(in: .whitespaces)
                #expect(compiled.contains(code), "\(code)")
                count += 1
            }
        }
        #expect(count > 15)
    }
}
