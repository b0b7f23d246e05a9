// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import Synchronization

/// A device that is nothing but its passcode: for tests of what stands above a device.
package final class FakeDevice: Sendable {
    private let state: Mutex<State>

    private struct State {
        var passcode: SecretBytes?
        var status: DeviceStatus
        var attempts = 0
        var recoveryKey: RecoveryKey?
        var isErased = false

        var summary: DeviceSummary {
            DeviceSummary(
                exists: true,
                hasPasscode: passcode != nil,
                recoveryKeyDate: recoveryKey.map { _ in .referenceDate },
                itemCount: 3,
                hasRootKey: true
            )
        }
    }

    /// A device with a passcode, or without one; before first unlock in the first case.
    package init(passcode: String? = nil) {
        let lockState = passcode == nil ? LockState.unlocked : .beforeFirstUnlock
        state = Mutex(
            State(
                passcode: passcode.map { SecretBytes(Array($0.utf8)) },
                status: DeviceStatus(lockState: lockState, hasPasscode: passcode != nil)
            )
        )
    }

    /// How many passcodes were looked at.
    package var attempts: Int { state.withLock(\.attempts) }

    /// The recovery key; `nil` for none.
    package var recoveryKey: RecoveryKey? {
        get { state.withLock(\.recoveryKey) }
        set { state.withLock { $0.recoveryKey = newValue } }
    }

    /// Whether it was erased.
    package var isErased: Bool { state.withLock(\.isErased) }

    /// The device as its users see it.
    package var device: KeychainDevice { KeychainDevice(perform) }

    /// Carries out a command.
    package func perform(_ command: KeychainCommand.Device) throws(KeychainError) -> KeychainReply {
        switch command {
        case .status: return .deviceStatus(state.withLock(\.status))
        case .lock: try lock()
        case .lockThisProcess: try? lock()
        case .unlock(let passcode): try change { state throws(KeychainError) in try Self.check(passcode, &state) }
        case .setPasscode(let passcode):
            try change { state throws(KeychainError) in
                guard state.passcode == nil else { throw KeychainError(DeviceError.passcodeAlreadySet) }
                Self.set(passcode, &state)
            }
        case .changePasscode(let old, let new):
            try change { state throws(KeychainError) in
                try Self.check(old, &state)
                Self.set(new, &state)
            }
        case .removePasscode(let passcode):
            try change { state throws(KeychainError) in
                try Self.check(passcode, &state)
                Self.set(nil, &state)
            }
        case .setPolicy(let policy): state.withLock { $0.status.policy = policy }
        case .summary: return .deviceSummary(state.withLock(\.summary))
        case .createRecoveryKey(let key, let passcode):
            try change { state throws(KeychainError) in
                try Self.check(passcode ?? SecretBytes(), &state)
                state.recoveryKey = key
            }
        case .checkRecoveryKey(let key): try change { state throws(KeychainError) in try Self.check(key, state) }
        case .useRecoveryKey(let key, let newPasscode, let newKey):
            try change { state throws(KeychainError) in
                try Self.check(key, state)
                Self.set(newPasscode, &state)
                state.recoveryKey = newKey
            }
        case .removeRecoveryKey(let passcode):
            try change { state throws(KeychainError) in
                try Self.check(passcode ?? SecretBytes(), &state)
                state.recoveryKey = nil
            }
        case .erase:
            state.withLock { state in
                Self.set(nil, &state)
                (state.recoveryKey, state.isErased) = (nil, true)
            }
        }
        return .done
    }

    private static func check(_ key: RecoveryKey, _ state: State) throws(KeychainError) {
        guard let right = state.recoveryKey else { throw KeychainError(DeviceError.noRecoveryKey) }
        guard key == right else { throw KeychainError(DeviceError.wrongRecoveryKey) }
    }

    private func lock() throws(KeychainError) {
        try change { state throws(KeychainError) in
            guard state.passcode != nil else { throw KeychainError(DeviceError.noPasscode) }
            state.status.lockState = .locked
        }
    }

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
