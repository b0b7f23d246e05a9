// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import KeychainSimulation
import KeychainTestSupport
import Testing

@testable import KeychainEngine

/// Setting, changing, removing and mistyping the passcode of a device.
struct PasscodeTests {
    private static let wrong = SecretBytes(Array("wrong".utf8))
    private static let right = SecretBytes(Array("1234".utf8))

    /// The refusal of a call; `nil` when it succeeded.
    private func refusal(_ body: () throws(KeychainError) -> Void) -> DeviceError? {
        do throws(KeychainError) {
            try body()
            return nil
        } catch {
            return error.refusal
        }
    }

    /// The refusal of a try to unlock; `nil` when it succeeded.
    private func refusal(of passcode: SecretBytes, by device: KeychainDevice) -> DeviceError? {
        refusal { () throws(KeychainError) in try device.unlock(passcode: passcode) }
    }

    @Test(
        "a passcode is set once, changed with the old one, and removed with the right one",
        arguments: VirtualDevice.Storage.allCases
    )
    func life(_ storage: VirtualDevice.Storage) throws {
        let virtual = try VirtualDevice(passcode: nil, storage: storage)
        // Its files go with it.
        defer { withExtendedLifetime(virtual) {} }
        let device = virtual.keychain.device
        let empty = SecretBytes()
        let (first, second) = (SecretBytes(Array("first".utf8)), SecretBytes(Array("second".utf8)))
        #expect(try device.status() == DeviceStatus(lockState: .unlocked, hasPasscode: false))
        #expect(refusal { () throws(KeychainError) in try device.lock() } == .noPasscode)
        #expect(refusal { () throws(KeychainError) in try device.removePasscode(empty) } == .noPasscode)
        #expect(refusal { () throws(KeychainError) in try device.setPasscode(empty) } == .emptyPasscode)

        try device.setPasscode(first)
        #expect(try device.status() == DeviceStatus(lockState: .unlocked, hasPasscode: true))
        #expect(refusal { () throws(KeychainError) in try device.setPasscode(second) } == .passcodeAlreadySet)
        let toEmpty = refusal { () throws(KeychainError) in try device.changePasscode(from: first, to: empty) }
        #expect(toEmpty == .emptyPasscode)

        try device.changePasscode(from: first, to: second)
        try device.lock()
        #expect(refusal(of: first, by: device) == .wrongPasscode(failedAttempts: 1, secondsUntilNextAttempt: 0))
        #expect(try device.status().lockState == .locked)
        try device.unlock(passcode: second)
        #expect(try device.status() == DeviceStatus(lockState: .unlocked, hasPasscode: true))

        try device.removePasscode(second)
        #expect(try device.status() == DeviceStatus(lockState: .unlocked, hasPasscode: false))
        try device.unlock(passcode: first)
        #expect(try device.status().failedAttempts == 0)
    }

    @Test("wrong passcodes are counted, and after the fourth the next one has to wait")
    func delays() throws {
        let device = try VirtualDevice(storage: .file)
        var count = 0
        for delay in [0, 0, 0, 0, 60, 300, 900, 900, 3600, 3600] as [Double] {
            count += 1
            let failure = refusal(of: Self.wrong, by: device.keychain.device)
            #expect(failure == .wrongPasscode(failedAttempts: count, secondsUntilNextAttempt: delay))
            #expect(try device.keychain.device.status().failedAttempts == count)
            guard delay > 0 else { continue }
            // Neither a right nor a wrong one is looked at, here or in another process, and none is counted.
            device.clock.advance(by: .seconds(delay - 1))
            let soon = refusal(of: Self.right, by: device.keychain.device)
            #expect(soon == .attemptTooSoon(secondsUntilNextAttempt: 1))
            let other = try device.anotherProcess()
            let otherSoon = refusal(of: Self.right, by: other.device)
            #expect(otherSoon == .attemptTooSoon(secondsUntilNextAttempt: 1))
            #expect(try other.device.status().secondsUntilNextAttempt == 1)
            device.clock.advance(by: .seconds(1))
        }
        try device.unlock()
        #expect(try device.keychain.device.status().failedAttempts == 0)
    }

    @Test("a restart of the host restarts the wait")
    func delayAfterReboot() throws {
        let device = try VirtualDevice(storage: .file)
        for _ in 0..<5 {
            _ = refusal(of: Self.wrong, by: device.keychain.device)
        }
        device.clock.advance(by: .seconds(59))
        device.reboot()
        let soon = refusal(of: Self.right, by: device.keychain.device)
        #expect(soon == .attemptTooSoon(secondsUntilNextAttempt: 60))
        device.clock.advance(by: .seconds(60))
        try device.unlock()
    }

    /// Begins a try and does not end it, as a process does that is killed.
    private func interrupt(_ device: VirtualDevice) throws {
        try PasscodeAttempt.withExclusiveAccess(device.keychain.access) { attempt throws(KeychainError) in
            let slot = try attempt.count()?.slot
            #expect(slot != nil)
        }
    }

    @Test("a try counts before it is judged, so that whoever kills the process waits for the next one")
    func countedFirst() throws {
        let device = try VirtualDevice(storage: .file)
        try device.lock()
        for _ in 0..<3 { try interrupt(device) }
        let other = try device.anotherProcess()
        let fourth = refusal(of: Self.wrong, by: other.device)
        #expect(fourth == .wrongPasscode(failedAttempts: 1, secondsUntilNextAttempt: 0))
        try interrupt(device)
        #expect(try other.device.status().secondsUntilNextAttempt == 60)
        #expect(refusal(of: Self.right, by: other.device) == .attemptTooSoon(secondsUntilNextAttempt: 60))
        device.clock.advance(by: .seconds(60))
        try device.unlock()
        #expect(try other.device.status().failedAttempts == 0)
        for _ in 0..<4 { try interrupt(device) }
        #expect(try other.device.status().secondsUntilNextAttempt == 0, "a right passcode reset the count")
    }

    @Test("tries that were cut short before they were judged erase nothing, and wrong ones still do")
    func interruptedErasesNothing() throws {
        let device = try VirtualDevice(storage: .file)
        #expect(device.keychain.add("survivor", "survivor", with: .level(.always)) == .done)
        try device.keychain.device.setPolicy(DevicePolicy(eraseAfterFailedAttempts: 2))
        // Two right passcodes that were cut short, and a typo.
        for _ in 0..<2 { try interrupt(device) }
        let typo = refusal(of: Self.wrong, by: device.keychain.device)
        #expect(typo == .wrongPasscode(failedAttempts: 1, secondsUntilNextAttempt: 0))
        #expect(device.keychain.secret("survivor") == .secret("survivor"))
        #expect(refusal(of: Self.wrong, by: device.keychain.device) == .erased)
        #expect(device.keychain.secret("survivor") == .failed(.itemNotFound))
    }

    /// A record after five wrong passcodes, and what remains of the minute at another time.
    private func remaining(boot: String = "a", seconds: Double, date: Double) -> Double {
        var record = DeviceRecord()
        record.failedAttempts = 5
        record.lastAttempt = HostTime(
            bootIdentifier: "a",
            secondsSinceBoot: 1_000,
            date: Timestamp(secondsSinceReferenceDate: 5_000)
        )
        let now = HostTime(
            bootIdentifier: boot,
            secondsSinceBoot: seconds,
            date: Timestamp(secondsSinceReferenceDate: date)
        )
        return AttemptDelay.remaining(record, now)
    }

    @Test("the delay is over when it is by the clock since boot and by the wall clock")
    func bothClocks() {
        #expect(remaining(seconds: 1_010, date: 5_010) == 50)
        #expect(remaining(seconds: 1_060, date: 5_060) == 0)
        // A time namespace puts the clock since boot forward, or back.
        #expect(remaining(seconds: 1_000_000, date: 5_001) == 59)
        #expect(remaining(boot: "b", seconds: 1_000_000, date: 5_001) == 59)
        #expect(remaining(seconds: 1, date: 1_000_000) == 60)
        // Setting the wall clock forward gains nothing; one that was set back does not count.
        #expect(remaining(seconds: 1_001, date: 1_000_000) == 59)
        #expect(remaining(seconds: 1_060, date: 0) == 0)
        #expect(remaining(seconds: 1_010, date: -1_000_000) == 50)
        // Who can do both has no delay: not defended.
        #expect(remaining(seconds: 1_000_000, date: 1_000_000) == 0)
        // A restart restarts the wait.
        #expect(remaining(boot: "b", seconds: 0, date: 5_059) == 60)
    }

    @Test("a date that is set does not make the wait shorter, nor one that was wrong by years longer")
    func dateOfTheDevice() throws {
        let device = try VirtualDevice(storage: .file)
        for _ in 0..<5 { _ = refusal(of: Self.wrong, by: device.keychain.device) }
        device.clock.date += 1_000_000
        #expect(try device.keychain.device.status().secondsUntilNextAttempt == 60)
        device.clock.date -= 1_000_000_000
        device.clock.advance(by: .seconds(59))
        #expect(try device.keychain.device.status().secondsUntilNextAttempt == 1)
        device.clock.advance(by: .seconds(1))
        try device.unlock()
    }

    @Test(
        "after so many wrong passcodes the device erases itself, if it was told to",
        arguments: VirtualDevice.Storage.allCases
    )
    func erase(_ storage: VirtualDevice.Storage) throws {
        let device = try VirtualDevice(storage: storage)
        #expect(device.keychain.add("survivor", "survivor", with: .level(.always)) == .done)
        try device.keychain.device.setPolicy(DevicePolicy(eraseAfterFailedAttempts: 3))
        for count in 1...2 {
            let failure = refusal(of: Self.wrong, by: device.keychain.device)
            #expect(failure == .wrongPasscode(failedAttempts: count, secondsUntilNextAttempt: 0))
        }
        #expect(device.keychain.secret("survivor") == .secret("survivor"))
        #expect(refusal(of: Self.wrong, by: device.keychain.device) == .erased)
        #expect(try device.keychain.device.status() == DeviceStatus(lockState: .unlocked, hasPasscode: false))
        #expect(device.keychain.secret("survivor") == .failed(.itemNotFound))
        #expect(device.keychain.add("successor", "successor", with: .level(.whenUnlocked)) == .done)
        #expect(device.keychain.secret("successor") == .secret("successor"))
    }

    @Test("concurrent right passcodes all succeed, one after the other", arguments: VirtualDevice.Storage.allCases)
    func concurrent(_ storage: VirtualDevice.Storage) async throws {
        let device = try VirtualDevice(storage: storage)
        try device.keychain.device.setPolicy(DevicePolicy(eraseAfterFailedAttempts: 2))
        await withTaskGroup(of: DeviceError?.self) { group in
            for _ in 0..<16 {
                group.addTask {
                    do throws(KeychainError) {
                        try device.keychain.device.unlock(passcode: Self.right)
                        return nil
                    } catch {
                        return error.refusal
                    }
                }
            }
            for await failure in group { #expect(failure == nil) }
        }
        #expect(try device.keychain.device.status().failedAttempts == 0)
    }

    @Test("a policy takes numbers above 0, and only while the device is unlocked")
    func policy() throws {
        let device = try VirtualDevice()
        for policy in [DevicePolicy(autoLockAfterSeconds: 0), DevicePolicy(eraseAfterFailedAttempts: -1)] {
            #expect(
                refusal { () throws(KeychainError) in try device.keychain.device.setPolicy(policy) } == .unusablePolicy
            )
        }
        let policy = DevicePolicy(autoLockAfterSeconds: 60, eraseAfterFailedAttempts: 10)
        try device.lock()
        #expect(refusal { () throws(KeychainError) in try device.keychain.device.setPolicy(policy) } == .locked)
        try device.unlock()
        try device.keychain.device.setPolicy(policy)
        #expect(try device.keychain.device.status().policy == policy)
    }

    @Test("no item changes when the passcode is set, changed and removed, but those that ask for one")
    func itemsStay() throws {
        let device = try VirtualDevice(passcode: nil, storage: .file)
        let levels = Accessibility.stored.filter { $0 != .whenPasscodeSetThisDeviceOnly }
        for level in levels { #expect(device.keychain.add("item \(level)", "\(level)", with: .level(level)) == .done) }
        let path = try #require(device.path)
        func rows() throws -> [[UInt8]?] {
            try RawStore(path: "\(path)/keychain.db").run(
                "SELECT version, metadata, secret FROM items_genp ORDER BY id"
            )
        }
        let before = try rows()
        try device.setPasscode("first")
        try device.changePasscode(to: "second")
        #expect(device.keychain.add("bound", "bound", with: .level(.whenPasscodeSetThisDeviceOnly)) == .done)
        try device.removePasscode()
        #expect(device.keychain.secret("bound") == .failed(.itemNotFound))
        let after = try rows()
        #expect(Array(after.prefix(before.count)) == before)
        for level in levels {
            #expect(device.keychain.secret("item \(level)") == .secret("\(level)"))
        }
    }

    @Test("neither the file nor its log holds an earlier keybag after the passcode was set")
    func oldKeybagIsGone() throws {
        let device = try VirtualDevice(passcode: nil, storage: .file)
        #expect(device.keychain.add("item", "item", with: .level(.whenUnlocked)) == .done)
        let path = try #require(device.path)
        let keybag = try RawStore(path: "\(path)/keychain.db").run("SELECT bytes FROM keybag")
        let old = try #require(keybag.first ?? nil)
        try device.setPasscode("1234")
        for name in ["keychain.db", "keychain.db-wal"] {
            let bytes = try FileBytes(path: "\(path)/\(name)")
            // The last bytes of a keybag are its authentication code, which no other keybag has.
            #expect(!bytes.contain(Array(old.suffix(32))), "\(name)")
        }
    }
}

extension KeychainError {
    /// Why the device refuses; `nil` for an error of another kind.
    fileprivate var refusal: DeviceError? {
        guard case .device(let refusal) = kind else { return nil }
        return refusal
    }
}
