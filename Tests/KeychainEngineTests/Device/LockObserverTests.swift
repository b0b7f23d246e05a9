// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainTestSupport
import Testing

@testable import KeychainEngine

/// Notices of locks and unlocks, for a front that announces them, by whatever way they come.
struct LockObserverTests {
    private static let passcode = SecretBytes(Array("1234".utf8))

    private let store: TestStore
    private let keychain: EmbeddedKeychain
    private let notices = Collected<Void>()
    private let observation: ChangeObservation?

    init() throws {
        store = try TestStore()
        keychain = store.open()
        observation = keychain.observeLocks { [notices] in notices.append(()) }
    }

    /// What is told of a command, and whether the keychain is locked afterwards.
    private func after(_ body: (KeychainDevice) throws -> Void) throws -> (isTold: Bool, isLocked: Bool) {
        _ = notices.take()
        try body(keychain.device)
        let isTold = !notices.take().isEmpty
        return (isTold, try keychain.device.status().isLocked)
    }

    @Test("each command that locks or unlocks is told")
    func commands() throws {
        #expect(try after { try $0.setPasscode(Self.passcode) } == (true, false))
        #expect(try after { try $0.lock() } == (true, true))
        #expect(try after { try $0.unlock(passcode: Self.passcode) } == (true, false))
        #expect(try after { $0.lockThisProcess() } == (true, true))
        #expect(try after { try $0.removePasscode(Self.passcode) } == (true, false))
        #expect(try after { try $0.setPasscode(Self.passcode) } == (true, false))
        #expect(try after { try $0.lock() } == (true, true))
        #expect(try after { try $0.erase() } == (true, false))
    }

    @Test("what changes nothing is not told, also while the keychain is locked")
    func nothing() throws {
        try keychain.device.setPasscode(Self.passcode)
        #expect(keychain.add("A", "1") == .done)
        #expect(try after { _ = try $0.status() } == (false, false))
        try keychain.device.lock()
        #expect(try after { try $0.lock() } == (false, true))
        #expect(try after { _ = try $0.status() } == (false, true))
        _ = try? after { try $0.unlock(passcode: SecretBytes(Array("0000".utf8))) }
        #expect(notices.take().isEmpty)
    }

    @Test("a lock by another process is told when it is found")
    func otherProcess() throws {
        try keychain.device.setPasscode(Self.passcode)
        try store.open().device.lock()
        #expect(try after { _ = try $0.status() } == (true, true))
    }

    @Test("a device that lay idle is locked without a call, which is told")
    func idle() throws {
        try keychain.device.setPasscode(Self.passcode)
        _ = notices.take()
        try keychain.device.setPolicy(DevicePolicy(autoLockAfterSeconds: 1))
        #expect(eventually("the lock") { !notices.take().isEmpty })
        #expect(try keychain.device.status().lockState == .locked)
    }

    @Test("too many wrong passcodes erase the keychain, which is told")
    func erasure() throws {
        try keychain.device.setPasscode(Self.passcode)
        try keychain.device.setPolicy(DevicePolicy(eraseAfterFailedAttempts: 1))
        try keychain.device.lock()
        let outcome = try after { try? $0.unlock(passcode: SecretBytes(Array("0000".utf8))) }
        #expect(outcome == (true, false))
    }

    @Test("nobody is told any more once the observation has ended")
    func end() throws {
        let keychain = EmbeddedKeychain.inMemory(device: .withNegligibleWork)
        let notices = Collected<Void>()
        var observation = keychain.observeLocks { notices.append(()) }
        try keychain.device.setPasscode(Self.passcode)
        #expect(!notices.take().isEmpty)
        observation = nil
        try keychain.device.lock()
        #expect(notices.take().isEmpty && observation == nil)
    }
}
