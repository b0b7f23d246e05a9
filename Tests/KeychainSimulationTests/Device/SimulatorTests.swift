// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainSimulation
import Security
import Testing

@Suite("A simulator enforces nothing, and says what state it is in")
struct SimulatorTests {
    /// What a device answers for an item of a level in a state; a simulator answers success.
    struct Case: Sendable, CustomTestStringConvertible {
        let level: Accessibility
        let state: VirtualDevice.LockState
        let onDevice: OSStatus

        var testDescription: String { "\(level), \(state)" }
    }

    static let cases: [Case] = Accessibility.stored.flatMap { level in
        VirtualDevice.LockState.allCases.map { state in
            let isReadable =
                switch (level, state) {
                case (.always, _), (.alwaysThisDeviceOnly, _), (_, .unlocked): true
                case (.afterFirstUnlock, .locked), (.afterFirstUnlockThisDeviceOnly, .locked): true
                default: false
                }
            return Case(level: level, state: state, onDevice: isReadable ? errSecSuccess : errSecInteractionNotAllowed)
        }
    }

    @Test("No state takes an item away", arguments: cases, VirtualDevice.Storage.allCases)
    func states(_ item: Case, _ storage: VirtualDevice.Storage) throws {
        for platform in [VirtualDevice.Platform.iOS, .simulator] {
            let device = try VirtualDevice(platform, storage: storage)
            let app = device.install()
            #expect(app.add("item", [kSecAttrAccessible: item.level.rawValue]) == errSecSuccess)
            switch item.state {
            case .unlocked: break
            case .locked: try device.lock()
            case .beforeFirstUnlock: device.reboot()
            }
            #expect(device.lockState == item.state)
            let expected = platform == .simulator ? errSecSuccess : item.onDevice
            #expect(app.read("item") == expected)
            #expect(app.add("other", [kSecAttrAccessible: item.level.rawValue]) == expected)
            #expect(device.lockState == item.state)
        }
    }

    static let flags: [SecAccessControlCreateFlags] = [
        .userPresence, .biometryAny, .biometryCurrentSet, .devicePasscode, [.biometryAny, .and, .devicePasscode],
        .applicationPassword, [.applicationPassword, .devicePasscode], .privateKeyUsage,
    ]

    @Test("Guarded items are used without asking", arguments: flags.map(\.rawValue))
    func guarded(_ rawValue: SecAccessControlCreateFlags.RawValue) throws {
        let device = try VirtualDevice(.simulator, passcode: nil, biometry: .none)
        device.owner.answer = .cancels
        let app = device.install()
        let flags = SecAccessControlCreateFlags(rawValue: rawValue)
        #expect(app.add("item", flags: flags, level: kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly) == errSecSuccess)
        #expect(
            app.add("item", flags: flags, level: kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly) == errSecDuplicateItem
        )
        #expect(app.read("item") == errSecSuccess)
        for choice in [kSecUseAuthenticationUIFail, kSecUseAuthenticationUISkip] {
            #expect(app.read("item", [kSecUseAuthenticationUI: choice]) == errSecSuccess)
        }
        #expect(app.update("item") == errSecSuccess)
        #expect(app.read("item") == errSecSuccess)
        #expect(device.owner.questions.isEmpty)
    }

    @Test("On a device the same are asked for")
    func guardedOnDevice() throws {
        let device = try VirtualDevice()
        device.owner.answer = .cancels
        let app = device.install()
        #expect(app.add("item", flags: .userPresence, level: kSecAttrAccessibleWhenUnlocked) == errSecSuccess)
        #expect(app.read("item") == errSecUserCanceled)
        #expect(app.read("item", [kSecUseAuthenticationUI: kSecUseAuthenticationUIFail]) == errSecInteractionNotAllowed)
        #expect(app.read("item", [kSecUseAuthenticationUI: kSecUseAuthenticationUISkip]) == errSecItemNotFound)
        #expect(device.owner.questions.map(\.kind) == [.biometry])
    }

    @Test("A level that asks for a passcode works without one, and outlives it")
    func passcodes() throws {
        let device = try VirtualDevice(.simulator, passcode: nil)
        let app = device.install()
        let level = [kSecAttrAccessible: kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly]
        #expect(device.passcode == nil)
        #expect(app.add("before", level) == errSecSuccess)
        #expect(throws: VirtualDeviceError.self) { try device.lock() }
        try device.setPasscode("1")
        #expect(app.add("with", level) == errSecSuccess)
        try device.changePasscode(to: "2")
        try device.lock()
        #expect(throws: VirtualDeviceError.self) { try device.unlock(passcode: "1") }
        try device.unlock(passcode: "2")
        try device.removePasscode()
        #expect(throws: VirtualDeviceError.self) { try device.removePasscode() }
        #expect(app.read("before") == errSecSuccess)
        #expect(app.read("with") == errSecSuccess)
        device.reboot()
        #expect(device.lockState == .unlocked)
    }

    @Test("On a device the level needs the passcode, and goes with it")
    func passcodesOnDevice() throws {
        let device = try VirtualDevice(passcode: nil)
        let app = device.install()
        let level = [kSecAttrAccessible: kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly]
        #expect(app.add("item", level) == errSecNotAvailable)
        try device.setPasscode("1")
        #expect(app.add("item", level) == errSecSuccess)
        try device.removePasscode()
        #expect(app.read("item") == errSecItemNotFound)
    }

    @Test(
        "The faces of a device go with the passcode, for good; a simulator keeps them",
        arguments: VirtualDevice.Platform.withOneKeychain
    )
    func facesAndPasscode(_ platform: VirtualDevice.Platform) throws {
        let device = try VirtualDevice(platform)
        let app = device.install()
        #expect(app.add("set", flags: .biometryCurrentSet, level: kSecAttrAccessibleWhenUnlocked) == errSecSuccess)
        try device.removePasscode()
        try device.setPasscode("9999")
        let status = platform == .simulator ? errSecSuccess : errSecAuthFailed
        #expect(app.read("set") == status)
        #expect(app.add("new", flags: .biometryCurrentSet, level: kSecAttrAccessibleWhenUnlocked) == status)
        device.enrollBiometry()
        #expect(app.add("newer", flags: .biometryCurrentSet, level: kSecAttrAccessibleWhenUnlocked) == errSecSuccess)
        #expect(app.read("newer") == errSecSuccess)
    }

    @Test("A key of the enclave is used without asking, in every state")
    func enclaveKeys() throws {
        for platform in [VirtualDevice.Platform.iOS, .simulator] {
            let device = try VirtualDevice(platform)
            device.owner.answer = .cancels
            let app = device.install()
            let key = try #require(Self.makeKey(app))
            try device.lock()
            let signature = app.run {
                SecKeyCreateSignature(key, .ecdsaSignatureMessageX962SHA256, Data("message".utf8) as CFData, nil)
            }
            #expect((signature != nil) == (platform == .simulator))
            #expect(device.owner.questions.isEmpty)
        }
    }

    private static func makeKey(_ app: App) -> SecKey? {
        app.run {
            let flags: SecAccessControlCreateFlags = [.privateKeyUsage, .biometryAny]
            guard
                let accessControl = SecAccessControlCreateWithFlags(nil, kSecAttrAccessibleWhenUnlocked, flags, nil)
            else { return nil }
            let attributes: [CFString: Any] = [
                kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeySizeInBits: 256,
                kSecAttrTokenID: kSecAttrTokenIDSecureEnclave,
                kSecPrivateKeyAttrs: [kSecAttrAccessControl: accessControl],
            ]
            return SecKeyCreateRandomKey(attributes as CFDictionary, nil)
        }
    }
}
