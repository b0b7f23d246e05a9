// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainSimulation
import Security
import Testing

@Suite("Backing up, and restoring to another device")
struct DeviceBackupTests {
    private static let password = "password of the backup"

    private static let staysBehind: Set<Accessibility> = [
        .whenUnlockedThisDeviceOnly, .afterFirstUnlockThisDeviceOnly, .alwaysThisDeviceOnly,
        .whenPasscodeSetThisDeviceOnly,
    ]

    private static func filled(_ storage: VirtualDevice.Storage) throws -> (VirtualDevice, App) {
        let device = try VirtualDevice(storage: storage)
        let app = device.install()
        for level in Accessibility.stored { app.add(level.rawValue, [kSecAttrAccessible: level.rawValue]) }
        return (device, app)
    }

    @Test(
        "What is bound to a device stays behind, and is reported",
        arguments: VirtualDevice.Storage.allCases,
        VirtualDevice.Storage.allCases
    )
    func restore(_ source: VirtualDevice.Storage, _ target: VirtualDevice.Storage) throws {
        let (device, app) = try Self.filled(source)
        let backup = try device.backUp(password: Self.password)
        #expect(backup.report.items == 3)
        let expected = Dictionary(uniqueKeysWithValues: Self.staysBehind.map { ($0.rawValue, 1) })
        #expect(backup.report.leftBehind == expected)
        #expect(backup.report.damaged == 0)
        let other = try VirtualDevice(restoring: backup, password: Self.password, storage: target)
        let reinstalled = other.install()
        try other.lock()
        #expect(reinstalled.read(Accessibility.whenUnlocked.rawValue) == errSecInteractionNotAllowed)
        try other.unlock()
        for level in Accessibility.stored {
            let status = Self.staysBehind.contains(level) ? errSecItemNotFound : errSecSuccess
            #expect(reinstalled.read(level.rawValue) == status)
            #expect(app.read(level.rawValue) == errSecSuccess)
            #expect(reinstalled.add("new \(level)", [kSecAttrAccessible: level.rawValue]) == errSecSuccess)
        }
    }

    @Test("The device itself gets the same items back after it was erased", arguments: VirtualDevice.Storage.allCases)
    func erased(_ storage: VirtualDevice.Storage) throws {
        let (device, app) = try Self.filled(storage)
        let backup = try device.backUp(password: Self.password)
        #expect(throws: VirtualDeviceError.self) { try device.restore(backup, password: Self.password) }
        try device.removePasscode()
        #expect(throws: VirtualDeviceError.self) { try device.restore(backup, password: Self.password) }
        #expect(app.read(Accessibility.whenUnlockedThisDeviceOnly.rawValue) == errSecSuccess)
        try device.erase()
        #expect(throws: VirtualDeviceError.self) { try device.restore(backup, password: "wrong") }
        #expect(try device.restore(backup, password: Self.password) == backup.report)
        #expect(app.read(Accessibility.whenUnlocked.rawValue) == errSecSuccess)
        #expect(app.read(Accessibility.whenUnlockedThisDeviceOnly.rawValue) == errSecItemNotFound)
        try device.setPasscode("1")
        try device.lock()
        #expect(app.read(Accessibility.whenUnlocked.rawValue) == errSecInteractionNotAllowed)
    }

    @Test(
        "A new device with a passcode and a face takes a backup, and keeps both",
        arguments: VirtualDevice.Storage.allCases
    )
    func defaultDevice(_ storage: VirtualDevice.Storage) throws {
        let (device, _) = try Self.filled(storage)
        let backup = try device.backUp(password: Self.password)
        let other = try VirtualDevice(storage: storage)
        #expect(throws: VirtualDeviceError.self) { try other.restore(backup, password: "wrong") }
        #expect(other.passcode == VirtualDevice.defaultPasscode)
        #expect(try other.restore(backup, password: Self.password) == backup.report)
        let app = other.install()
        #expect(app.read(Accessibility.whenUnlocked.rawValue) == errSecSuccess)
        #expect(other.passcode == VirtualDevice.defaultPasscode)
        #expect(app.add("item", flags: .biometryCurrentSet, level: kSecAttrAccessibleWhenUnlocked) == errSecSuccess)
        #expect(app.read("item") == errSecSuccess)
        // Now it has items.
        #expect(throws: VirtualDeviceError.self) { try other.restore(backup, password: Self.password) }
        #expect(app.read("item") == errSecSuccess)
    }

    @Test("The faces of one device are not those of another")
    func biometry() throws {
        let device = try VirtualDevice()
        let app = device.install()
        #expect(app.add("set", flags: .biometryCurrentSet, level: kSecAttrAccessibleWhenUnlocked) == errSecSuccess)
        #expect(app.add("any", flags: .biometryAny, level: kSecAttrAccessibleWhenUnlocked) == errSecSuccess)
        let backup = try device.backUp(password: Self.password)
        let other = try VirtualDevice(restoring: backup, password: Self.password)
        let reinstalled = other.install()
        #expect(reinstalled.read("any") == errSecSuccess)
        #expect(reinstalled.read("set") == errSecAuthFailed)
    }

    @Test("A simulator takes a backup, and has its levels afterwards")
    func simulator() throws {
        let (device, _) = try Self.filled(.memory)
        let backup = try device.backUp(password: Self.password)
        let simulator = try VirtualDevice(restoring: backup, password: Self.password, .simulator, passcode: nil)
        let app = simulator.install()
        #expect(app.read(Accessibility.whenUnlocked.rawValue) == errSecSuccess)
        let level = Accessibility.whenPasscodeSetThisDeviceOnly
        #expect(app.add("item", [kSecAttrAccessible: level.rawValue]) == errSecSuccess)
    }

    @Test("A locked device makes no backup, nor one without a password")
    func refusals() throws {
        let (device, _) = try Self.filled(.memory)
        #expect(throws: VirtualDeviceError.self) { try device.backUp(password: "") }
        try device.lock()
        #expect(throws: VirtualDeviceError.self) { try device.backUp(password: Self.password) }
    }

    @Test("What is damaged is not in it, and is counted")
    func damaged() throws {
        let (device, app) = try Self.filled(.memory)
        let reference = try #require(app.persistentReference(Accessibility.always.rawValue))
        try device.setStorageCondition(.itemDamaged(persistentReference: reference))
        #expect(app.read(Accessibility.always.rawValue) == errSecDecode)
        let report = try device.backUp(password: Self.password).report
        #expect(report.items == 2)
        #expect(report.damaged == 1)
    }
}
