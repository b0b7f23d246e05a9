// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainEngine
import KeychainSimulation
import Security
import Testing

@Suite("Erasing all content and settings")
struct ErasureTests {
    @Test(
        "Items, passcode and biometry are gone; apps go on",
        arguments: VirtualDevice.Platform.allCases,
        VirtualDevice.Storage.allCases
    )
    func erase(_ platform: VirtualDevice.Platform, _ storage: VirtualDevice.Storage) throws {
        let device = try VirtualDevice(platform, storage: storage)
        let app = device.install()
        try device.setPolicy(.init(autoLockAfterSeconds: 60, eraseAfterFailedAttempts: 10))
        app.add("item")
        try app.run {
            try device.erase()
            #expect(app.read("item") == errSecItemNotFound)
            app.add("in the midst")
        }
        #expect(device.passcode == nil)
        #expect(device.lockState == .unlocked)
        #expect(try device.policy == .init())
        #expect(app.read("in the midst") == errSecSuccess)
        try device.setPasscode("new")
        try device.lock()
        try device.unlock(passcode: "new")
        #expect(app.read("in the midst") == errSecSuccess)
        let level = [kSecAttrAccessible: kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly]
        #expect(app.add("for the passcode", level) == errSecSuccess)
    }

    @Test("Nobody is enrolled afterwards, until somebody is")
    func biometry() throws {
        let device = try VirtualDevice()
        try device.erase()
        try device.setPasscode("1")
        let app = device.install()
        let level = kSecAttrAccessibleWhenUnlocked
        #expect(app.add("item", flags: .biometryCurrentSet, level: level) == errSecAuthFailed)
        device.enrollBiometry()
        #expect(app.add("item", flags: .biometryCurrentSet, level: level) == errSecSuccess)
        #expect(app.read("item") == errSecSuccess)
    }

    @Test("Another process sees the erased device")
    func anotherProcess() throws {
        let device = try VirtualDevice(storage: .file)
        let other = try device.anotherProcess()
        #expect(try other.device.status().hasPasscode)
        try device.erase()
        #expect(try !other.device.status().hasPasscode)
        #expect(throws: VirtualDeviceError.self) { _ = try VirtualDevice().anotherProcess() }
    }

    @Test("A locked device, and one with a sick store, can be erased", arguments: VirtualDevice.Storage.allCases)
    func eraseLocked(_ storage: VirtualDevice.Storage) throws {
        let device = try VirtualDevice(storage: storage)
        let app = device.install()
        app.add("item")
        try device.setStorageCondition(.readOnly)
        try device.lock()
        try device.erase()
        #expect(device.storageCondition == .healthy)
        #expect(app.add("item") == errSecSuccess)
    }
}
