// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import KeychainProtection
import KeychainSimulation
import KeychainTestSupport
import Testing

@testable import KeychainEngine

/// A lock as one process makes it and another one meets it.
struct LockTests {
    /// A device on disk with an item of each level of interest, and a second process that unlocked it, too.
    private func twoProcesses() throws -> (device: VirtualDevice, other: EmbeddedKeychain) {
        let device = try VirtualDevice(storage: .file)
        for level in [Accessibility.whenUnlocked, .afterFirstUnlock, .always] {
            #expect(device.keychain.add("\(level)", "secret", with: .level(level)) == .done)
        }
        let other = try device.anotherProcess()
        return (device, other)
    }

    private func unlock(_ keychain: EmbeddedKeychain) throws {
        try keychain.device.unlock(passcode: SecretBytes(Array("1234".utf8)))
    }

    /// What a process can read, by level.
    private func readable(_ keychain: EmbeddedKeychain) -> [Accessibility] {
        [.whenUnlocked, .afterFirstUnlock, .always].filter { keychain.secret("\($0)") == .secret("secret") }
    }

    @Test("a process that begins has unlocked nothing; it unlocks for itself alone")
    func begin() throws {
        let (device, other) = try twoProcesses()
        #expect(try other.device.status().lockState == .beforeFirstUnlock)
        #expect(readable(other) == [.always])
        #expect(other.secret("\(Accessibility.whenUnlocked)") == .failed(.interactionNotAllowed))
        try unlock(other)
        #expect(readable(other) == [.whenUnlocked, .afterFirstUnlock, .always])
        let third = try device.anotherProcess()
        #expect(try third.device.status().lockState == .beforeFirstUnlock)
    }

    @Test("a lock in one process takes the keys of every other at its next call")
    func lockElsewhere() throws {
        let (device, other) = try twoProcesses()
        try unlock(other)
        try other.device.lock()
        #expect(readable(device.keychain) == [.afterFirstUnlock, .always])
        #expect(try device.keychain.device.status().lockState == .locked)
        #expect(readable(other) == [.afterFirstUnlock, .always])
        // An unlock is of the new mark, and stays until the next lock.
        try device.unlock()
        #expect(readable(device.keychain) == [.whenUnlocked, .afterFirstUnlock, .always])
        #expect(readable(other) == [.afterFirstUnlock, .always])
    }

    @Test("a lock of this process concerns no other")
    func lockThisProcess() throws {
        let (device, other) = try twoProcesses()
        try unlock(other)
        device.keychain.device.lockThisProcess()
        #expect(readable(device.keychain) == [.afterFirstUnlock, .always])
        #expect(readable(other) == [.whenUnlocked, .afterFirstUnlock, .always])
    }

    @Test("a restart of the host takes everything that was unlocked")
    func reboot() throws {
        let (device, _) = try twoProcesses()
        device.reboot()
        #expect(readable(device.keychain) == [.always])
        #expect(try device.keychain.device.status().lockState == .beforeFirstUnlock)
    }

    @Test("a passcode that another process changed leaves this one unlocked; one that it set or removed does not")
    func changesElsewhere() throws {
        let (device, other) = try twoProcesses()
        try unlock(other)
        let (old, new) = (SecretBytes(Array("1234".utf8)), SecretBytes(Array("new".utf8)))
        try other.device.changePasscode(from: old, to: new)
        #expect(readable(device.keychain) == [.whenUnlocked, .afterFirstUnlock, .always])
        try other.device.removePasscode(new)
        #expect(try device.keychain.device.status() == DeviceStatus(lockState: .unlocked, hasPasscode: false))
        #expect(readable(device.keychain) == [.whenUnlocked, .afterFirstUnlock, .always])
        try other.device.setPasscode(new)
        #expect(readable(device.keychain) == [.always])
        #expect(readable(other) == [.whenUnlocked, .afterFirstUnlock, .always])
    }

    @Test("a store that was replaced is locked: what was unlocked belongs to another")
    func replacedStore() throws {
        let first = try VirtualDevice(storage: .file)
        let second = try VirtualDevice(storage: .file)
        #expect(second.keychain.add("item", "secret", with: .level(.whenUnlocked)) == .done)
        #expect(first.keychain.add("item", "other secret", with: .level(.whenUnlocked)) == .done)
        let (firstPath, secondPath) = (try #require(first.path), try #require(second.path))
        try RawStore(path: "\(secondPath)/keychain.db").checkpoint()
        for name in ["keychain.db", "root.key"] {
            try FileManager.default.removeItem(atPath: "\(firstPath)/\(name)")
            try FileManager.default.copyItem(atPath: "\(secondPath)/\(name)", toPath: "\(firstPath)/\(name)")
        }
        try? FileManager.default.removeItem(atPath: "\(firstPath)/keychain.db-wal")
        #expect(first.keychain.secret("item") == .failed(.interactionNotAllowed))
        try first.unlock()
        #expect(first.keychain.secret("item") == .secret("secret"))
    }

    /// Has an earlier state of a device's store, and puts it in the place of the present one, as a restored backup of
    /// the folder does.
    private struct EarlierStore {
        let path: String

        init(of device: VirtualDevice) throws {
            path = try #require(device.path)
            try RawStore(path: "\(path)/keychain.db").checkpoint()
            try FileManager.default.copyItem(atPath: "\(path)/keychain.db", toPath: "\(path)/earlier.db")
        }

        func putBack() throws {
            for suffix in ["-wal", "-shm"] {
                try? FileManager.default.removeItem(atPath: "\(path)/keychain.db\(suffix)")
            }
            #expect(rename("\(path)/earlier.db", "\(path)/keychain.db") == 0)
        }
    }

    @Test("the policy of an earlier state of the store that was put back counts")
    func policyOfEarlierStore() throws {
        let (device, other) = try twoProcesses()
        let earlier = try EarlierStore(of: device)
        let passcode = SecretBytes(Array("1234".utf8))
        for _ in 0..<3 { try device.keychain.device.changePasscode(from: passcode, to: passcode) }
        try unlock(other)
        #expect(readable(other) == [.whenUnlocked, .afterFirstUnlock, .always])
        try earlier.putBack()
        try unlock(other)
        try device.keychain.device.setPolicy(DevicePolicy(autoLockAfterSeconds: 60))
        #expect(readable(other) == [.whenUnlocked, .afterFirstUnlock, .always])
        device.clock.advance(by: .seconds(60))
        #expect(other.secret("\(Accessibility.whenUnlocked)") == .failed(.interactionNotAllowed))
    }

    @Test("a store that is replaced while a passcode is checked is not called damaged")
    func replacedWhileChecking() throws {
        let (device, other) = try twoProcesses()
        let earlier = try EarlierStore(of: device)
        let passcode = SecretBytes(Array("1234".utf8))
        try device.keychain.device.changePasscode(from: passcode, to: passcode)
        var putBack: Result<Void, any Error>?
        let error = #expect(throws: KeychainError.self) {
            try PasscodeAttempt.withExclusiveAccess(other.access) { (attempt) throws(KeychainError) in
                guard let key = try attempt.check(passcode) else { return }
                putBack = Result { try earlier.putBack() }
                try attempt.unlock(with: key)
            }
        }
        try putBack?.get()
        #expect(error?.kind == .keys(.replacedKeybag))
        #expect(error?.status == .notAvailable)
        try unlock(other)
        #expect(readable(other) == [.whenUnlocked, .afterFirstUnlock, .always])
    }

    @Test("two processes read and lock at once: every answer is the secret or that the device is locked")
    func race() throws {
        let (device, other) = try twoProcesses()
        let allowed: Set<Answer> = [.secret("secret"), .failed(.interactionNotAllowed)]
        DispatchQueue.concurrentPerform(iterations: 4) { worker in
            let keychain = worker % 2 == 0 ? device.keychain : other
            for round in 0..<40 {
                if worker < 2, round % 8 == 0 { try? unlock(keychain) }
                if worker == 3, round % 5 == 0 { try? keychain.device.lock() }
                let answer = keychain.secret("\(Accessibility.whenUnlocked)")
                #expect(allowed.contains(answer))
                #expect(keychain.secret("\(Accessibility.always)") == .secret("secret"))
            }
        }
    }
}

/// The lock that comes by itself.
struct IdlenessTests {
    @Test("at the next call, what lay idle for too long is locked; a call restarts the time")
    func nextCall() throws {
        let device = try VirtualDevice(storage: .file)
        #expect(device.keychain.add("item", "secret", with: .level(.whenUnlocked)) == .done)
        try device.keychain.device.setPolicy(DevicePolicy(autoLockAfterSeconds: 60))
        for _ in 0..<3 {
            device.clock.advance(by: .seconds(59))
            #expect(device.keychain.secret("item") == .secret("secret"))
        }
        device.clock.advance(by: .seconds(60))
        #expect(device.keychain.secret("item") == .failed(.interactionNotAllowed))
        #expect(try device.keychain.device.status().lockState == .locked)
        try device.unlock()
        #expect(device.keychain.secret("item") == .secret("secret"))
    }

    @Test("without any further call the keys go as well")
    func noCall() throws {
        let keychain = try Self.keychainWithPasscode()
        #expect(keychain.access.lockState == .unlocked)
        try keychain.device.setPolicy(DevicePolicy(autoLockAfterSeconds: 1))
        try waitForLock(keychain)
    }

    @Test("who only looks whether it is locked does not keep it unlocked")
    func observed() throws {
        let device = try VirtualDevice(storage: .file)
        #expect(device.keychain.add("item", "secret", with: .level(.whenUnlocked)) == .done)
        try device.keychain.device.setPolicy(DevicePolicy(autoLockAfterSeconds: 60))
        #expect(device.keychain.secret("item") == .secret("secret"))
        for _ in 0..<2 {
            device.clock.advance(by: .seconds(30))
            _ = try device.keychain.device.status()
            _ = try device.keychain.device.summary()
        }
        #expect(device.keychain.secret("item") == .failed(.interactionNotAllowed))
    }

    @Test("who asks for what is not there, or adds what is there already, does not keep it unlocked")
    func fruitless() throws {
        let device = try VirtualDevice(storage: .file)
        #expect(device.keychain.add("item", "secret", with: .level(.whenUnlocked)) == .done)
        try device.keychain.device.setPolicy(DevicePolicy(autoLockAfterSeconds: 60))
        let none = try LookupAttributes([.init("service", "none")])
        for _ in 0..<2 {
            device.clock.advance(by: .seconds(25))
            #expect(device.keychain.secret("other") == .failed(.itemNotFound))
            #expect(device.keychain.add("item", "other", with: .level(.whenUnlocked)) == .failed(.duplicateItem))
            #expect(try device.keychain.search(none).isEmpty)
            #expect(try device.keychain.secrets([.random()]).isEmpty)
            _ = try device.keychain.check()
        }
        device.clock.advance(by: .seconds(10))
        #expect(device.keychain.secret("item") == .failed(.interactionNotAllowed))
    }

    @Test("wrong passcodes do not keep it unlocked, and a policy does not lock at once what was not used for long")
    func wrongPasscode() throws {
        let device = try VirtualDevice(storage: .file)
        #expect(device.keychain.add("item", "secret", with: .level(.whenUnlocked)) == .done)
        device.clock.advance(by: .seconds(100))
        try device.keychain.device.setPolicy(DevicePolicy(autoLockAfterSeconds: 60))
        #expect(device.keychain.secret("item") == .secret("secret"))
        for _ in 0..<2 {
            device.clock.advance(by: .seconds(30))
            #expect(throws: KeychainError.self) {
                try device.keychain.device.unlock(passcode: SecretBytes(Array("4321".utf8)))
            }
        }
        #expect(device.keychain.secret("item") == .failed(.interactionNotAllowed))
    }

    @Test("a policy that asks for less idleness than before does not wait for the earlier one")
    func shorterPolicy() throws {
        let keychain = try Self.keychainWithPasscode()
        try keychain.device.setPolicy(DevicePolicy(autoLockAfterSeconds: 24 * 3600))
        #expect(keychain.access.lockState == .unlocked)
        try keychain.device.setPolicy(DevicePolicy(autoLockAfterSeconds: 1))
        try waitForLock(keychain)
    }

    private static func keychainWithPasscode() throws -> EmbeddedKeychain {
        var options = DeviceOptions()
        options.passwordWork = .testing
        let keychain = EmbeddedKeychain.inMemory(device: options)
        try keychain.device.setPasscode(SecretBytes(Array("1234".utf8)))
        return keychain
    }

    /// Waits for the event; the limit is a safety net.
    private func waitForLock(_ keychain: EmbeddedKeychain) throws {
        let deadline = ContinuousClock.now + .seconds(600)
        while keychain.access.lockState == .unlocked, ContinuousClock.now < deadline { usleep(10_000) }
        #expect(keychain.access.lockState == .locked)
    }
}
