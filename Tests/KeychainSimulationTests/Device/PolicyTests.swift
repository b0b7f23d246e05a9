// SPDX-License-Identifier: Apache-2.0

import KeychainSimulation
import Security
import Testing

@Suite("What a device does by itself")
struct PolicyTests {
    @Test("It locks when nothing was called for as long as the policy says", arguments: VirtualDevice.Storage.allCases)
    func autoLock(_ storage: VirtualDevice.Storage) throws {
        let device = try VirtualDevice(storage: storage)
        try device.setPolicy(.init(autoLockAfterSeconds: 300))
        device.clock.advance(by: .seconds(299))
        #expect(device.lockState == .unlocked)
        device.clock.advance(by: .seconds(300))
        #expect(device.lockState == .locked)
        #expect(throws: VirtualDeviceError.self) { try device.setPolicy(.init()) }
    }

    @Test("Wrong passcodes have to wait by the device's clock", arguments: VirtualDevice.Storage.allCases)
    func delays(_ storage: VirtualDevice.Storage) throws {
        let device = try VirtualDevice(storage: storage)
        try device.lock()
        for attempt in 1...5 {
            #expect(throws: VirtualDeviceError.self) { try device.unlock(passcode: "wrong") }
            #expect(try device.failedAttempts == attempt)
        }
        #expect(try device.timeUntilNextAttempt == .seconds(60))
        #expect(throws: VirtualDeviceError.self) { try device.unlock() }
        device.clock.date = device.clock.date.addingTimeInterval(3_600)
        #expect(throws: VirtualDeviceError.self) { try device.unlock() }
        device.clock.advance(by: .seconds(60))
        try device.unlock()
        #expect(try device.failedAttempts == 0)
        #expect(device.lockState == .unlocked)
    }

    @Test(
        "It erases itself after as many wrong passcodes as the policy says",
        arguments: VirtualDevice.Platform.allCases
    )
    func eraseAfterAttempts(_ platform: VirtualDevice.Platform) throws {
        let device = try VirtualDevice(platform)
        let app = device.install()
        app.add("item")
        try device.setPolicy(.init(eraseAfterFailedAttempts: 3))
        for _ in 1...3 {
            #expect(device.passcode == VirtualDevice.defaultPasscode)
            #expect(throws: VirtualDeviceError.self) { try device.unlock(passcode: "wrong") }
        }
        #expect(device.passcode == nil)
        #expect(device.lockState == .unlocked)
        #expect(app.read("item") == errSecItemNotFound)
        try device.setPasscode("new")
        try device.lock()
        try device.unlock()
        #expect(app.add("item") == errSecSuccess)
    }

    @Test("A policy with a number that is not above 0 is refused")
    func unusable() throws {
        let device = try VirtualDevice()
        #expect(throws: VirtualDeviceError.self) { try device.setPolicy(.init(autoLockAfterSeconds: 0)) }
        #expect(throws: VirtualDeviceError.self) { try device.setPolicy(.init(eraseAfterFailedAttempts: -1)) }
    }

    @Test("Items are dated by the device's clock")
    func dates() throws {
        let device = try VirtualDevice()
        let app = device.install()
        let date = Date(timeIntervalSinceReferenceDate: 800_000_000)
        device.clock.date = date
        app.add("item")
        device.clock.advance(by: .seconds(5))
        #expect(app.update("item") == errSecSuccess)
        let query: [CFString: Any] = [kSecClass: kSecClassGenericPassword, kSecReturnAttributes: true]
        var result: CFTypeRef?
        let status = app.run { SecItemCopyMatching(query as CFDictionary, &result) }
        #expect(status == errSecSuccess)
        let attributes = try #require(result as? [String: Any])
        #expect(attributes[kSecAttrCreationDate as String] as? Date == date)
        #expect(attributes[kSecAttrModificationDate as String] as? Date == date.addingTimeInterval(5))
    }
}
