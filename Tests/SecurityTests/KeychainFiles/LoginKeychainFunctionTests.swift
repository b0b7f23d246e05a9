// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import KeychainMacFrontEnd
import KeychainServices
import KeychainTestSupport
import Security
import Testing

/// Functions on keychains of a user whose login keychain is the data protection keychain: as `security` has it.
struct LoginKeychainFunctionTests {
    private let folder: TemporaryFolder
    private let keychain: TemporaryKeychain
    private let passcode = SecretBytes(Array("1234".utf8))

    init() throws {
        folder = try TemporaryFolder()
        keychain = try TemporaryKeychain()
    }

    private func run(_ body: () throws -> Void) rethrows {
        let preferences = KeychainPreferences(home: KeychainHome(path: folder.path), systemFolder: folder.path)
        let files = FileBasedKeychain(
            keychain,
            preferences.withDataProtection,
            program: TrustedApplication(path: "/bin/true"),
            now: { .referenceDate }
        )
        let context = KeychainContext(backend: keychain, client: Client(accessGroups: ["a"]), fileBased: files)
        try KeychainContext.$current.withValue(context, operation: body)
    }

    private func login() throws -> SecKeychain {
        var login: SecKeychain?
        try #require(SecKeychainOpen("login.keychain", &login) == errSecSuccess)
        return try #require(login)
    }

    private func status(_ keychain: SecKeychain?) -> SecKeychainStatus? {
        var status: SecKeychainStatus = 0
        return SecKeychainGetStatus(keychain, &status) == errSecSuccess ? status : nil
    }

    @Test("it is the default keychain, and without a passcode never locked")
    func withoutPasscode() throws {
        try run {
            let login = try login()
            var standard: SecKeychain?
            #expect(SecKeychainCopyDefault(&standard) == errSecSuccess)
            #expect(standard == login)
            for keychain in [nil, login] {
                #expect(status(keychain) == kSecUnlockStateStatus | kSecReadPermStatus | kSecWritePermStatus)
                #expect(SecKeychainUnlock(keychain, 3, "any", true) == errSecSuccess)
                #expect(SecKeychainUnlock(keychain, 0, nil, false) == errSecSuccess)
            }
            #expect(SecKeychainLock(nil) == errSecNoDefaultKeychain)
            #expect(SecKeychainLock(login) == errSecNoSuchKeychain)
            #expect(SecKeychainLockAll() == errSecSuccess)
            var settings = SecKeychainSettings()
            #expect(SecKeychainCopySettings(nil, &settings) == errSecSuccess)
            #expect(!settings.lockOnSleep)
        }
    }

    @Test("it is locked and unlocked by the passcode, and locks by itself after the time that is set")
    func passcodeOfDevice() throws {
        try keychain.device.setPasscode(passcode)
        try run {
            let login = try login()
            for keychain in [nil, login] {
                #expect(SecKeychainLock(keychain) == errSecSuccess)
                #expect(status(keychain) == kSecReadPermStatus | kSecWritePermStatus)
                #expect(SecKeychainUnlock(keychain, 0, nil, false) == errSecInteractionNotAllowed)
                #expect(SecKeychainUnlock(keychain, 5, "wrong", true) == errSecAuthFailed)
                var settings = SecKeychainSettings()
                #expect(SecKeychainCopySettings(keychain, &settings) == errSecAuthFailed)
                #expect(SecKeychainUnlock(keychain, 4, "1234", true) == errSecSuccess)
                #expect(status(keychain) == kSecUnlockStateStatus | kSecReadPermStatus | kSecWritePermStatus)
                settings = SecKeychainSettings(useLockInterval: true, lockInterval: 3600)
                #expect(SecKeychainSetSettings(keychain, &settings) == errSecSuccess)
                var read = SecKeychainSettings()
                #expect(SecKeychainCopySettings(keychain, &read) == errSecSuccess)
                #expect(read.lockInterval == 3600)
            }
            #expect(SecKeychainLockAll() == errSecSuccess)
            #expect(status(nil) == kSecReadPermStatus | kSecWritePermStatus)
        }
    }

    @Test("it cannot be removed, and without it there is no such keychain")
    func noFile() throws {
        try run {
            let login = try login()
            #expect(SecKeychainDelete(login) == errSecNoSuchKeychain)
        }
        let files = FileBasedKeychain(
            keychain,
            KeychainPreferences(home: KeychainHome(path: folder.path), systemFolder: folder.path),
            program: TrustedApplication(path: "/bin/true"),
            now: { .referenceDate }
        )
        let context = KeychainContext(backend: keychain, client: Client(accessGroups: ["a"]), fileBased: files)
        KeychainContext.$current.withValue(context) {
            var standard: SecKeychain?
            #expect(SecKeychainCopyDefault(&standard) == errSecSuccess)
            #expect(status(standard) == nil)
            #expect(status(nil) == nil)
            #expect(SecKeychainLock(standard) == errSecNoSuchKeychain)
            #expect(SecKeychainLock(nil) == errSecNoDefaultKeychain)
        }
    }
}
