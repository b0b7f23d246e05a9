// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import Synchronization

/// A device that is nothing but its passcode: for tests of what stands above a device.
public final class FakeDevice: KeychainDevice {
    private let state: Mutex<State>

    private struct State {
        var passcode: SecretBytes?
        var status: DeviceStatus
        var attempts = 0
    }

    /// A device with a passcode, or without one; before first unlock in the first case.
    public init(passcode: String? = nil) {
        let lockState = passcode == nil ? LockState.unlocked : .beforeFirstUnlock
        state = Mutex(
            State(
                passcode: passcode.map { SecretBytes(Array($0.utf8)) },
                status: DeviceStatus(lockState: lockState, hasPasscode: passcode != nil)
            )
        )
    }

    /// How many passcodes were looked at.
    public var attempts: Int { state.withLock(\.attempts) }

    /// What can be told without a passcode.
    public func status() throws(KeychainError) -> DeviceStatus { state.withLock(\.status) }

    /// Locks, if there is a passcode.
    public func lock() throws(KeychainError) {
        try change { state throws(KeychainError) in
            guard state.passcode != nil else { throw KeychainError(DeviceError.noPasscode) }
            state.status.lockState = .locked
        }
    }

    /// Unlocks, if the passcode is right.
    public func unlock(passcode: SecretBytes) throws(KeychainError) {
        try change { state throws(KeychainError) in try Self.check(passcode, &state) }
    }

    /// Sets a passcode.
    public func setPasscode(_ passcode: SecretBytes) throws(KeychainError) {
        try change { state throws(KeychainError) in
            guard state.passcode == nil else { throw KeychainError(DeviceError.passcodeAlreadySet) }
            Self.set(passcode, &state)
        }
    }

    /// Changes the passcode, if the old one is right.
    public func changePasscode(from old: SecretBytes, to new: SecretBytes) throws(KeychainError) {
        try change { state throws(KeychainError) in
            try Self.check(old, &state)
            Self.set(new, &state)
        }
    }

    /// Removes the passcode, if it is right.
    public func removePasscode(_ passcode: SecretBytes) throws(KeychainError) {
        try change { state throws(KeychainError) in
            try Self.check(passcode, &state)
            Self.set(nil, &state)
        }
    }

    /// Sets the policy.
    public func setPolicy(_ policy: DevicePolicy) throws(KeychainError) {
        state.withLock { $0.status.policy = policy }
    }

    /// Locks, if there is a passcode.
    public func lockThisProcess() { try? lock() }

    private func change(_ body: (inout State) throws(KeychainError) -> Void) throws(KeychainError) {
        let result = state.withLock { state in
            Result { () throws(KeychainError) in try body(&state) }
        }
        try result.get()
    }

    private static func check(_ passcode: SecretBytes, _ state: inout State) throws(KeychainError) {
        guard let right = state.passcode else { return }
        state.attempts += 1
        guard passcode == right else {
            state.status.failedAttempts += 1
            let failures = state.status.failedAttempts
            throw KeychainError(DeviceError.wrongPasscode(failedAttempts: failures, secondsUntilNextAttempt: 0))
        }
        state.status.failedAttempts = 0
        state.status.lockState = .unlocked
    }

    private static func set(_ passcode: SecretBytes?, _ state: inout State) {
        state.passcode = passcode
        state.status.hasPasscode = passcode != nil
        state.status.lockState = .unlocked
    }
}
