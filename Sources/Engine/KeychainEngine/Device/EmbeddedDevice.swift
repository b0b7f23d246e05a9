// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainHost
import KeychainProtection
import KeychainStore

/// The device of an embedded keychain.
///
/// Operations on the passcode run under the attempt lock, which covers all processes; the slow key derivation runs
/// outside every transaction.
struct EmbeddedDevice: Sendable {
    let access: EngineAccess

    init(_ access: EngineAccess) { self.access = access }

    func perform(_ command: KeychainCommand.Device) throws(KeychainError) -> KeychainReply {
        switch command {
        case .status: return .deviceStatus(try status())
        case .lock: try lock()
        case .lockThisProcess: lockThisProcess()
        case .unlock(let passcode): try unlock(passcode: passcode)
        case .setPasscode(let passcode): try setPasscode(passcode)
        case .changePasscode(let old, let new): try changePasscode(from: old, to: new)
        case .removePasscode(let passcode): try removePasscode(passcode)
        case .setPolicy(let policy): try setPolicy(policy)
        case .summary: return .deviceSummary(try summary())
        case .createRecoveryKey(let key, let passcode): try createRecoveryKey(key, passcode: passcode)
        case .checkRecoveryKey(let key): try checkRecoveryKey(key)
        case .useRecoveryKey(let key, let newPasscode, let newKey):
            try useRecoveryKey(key, newPasscode: newPasscode, newRecoveryKey: newKey)
        case .removeRecoveryKey(let passcode): try removeRecoveryKey(passcode: passcode)
        case .erase: try erase()
        }
        return .done
    }

    func status() throws(KeychainError) -> DeviceStatus {
        // Who only looks does not keep it unlocked.
        try access.withEngine(.observing) { (engine) throws(KeychainError) in
            try engine.deviceStatus(access.device.hostClock.now)
        }
    }

    func lock() throws(KeychainError) {
        // Whatever happens with the files, this process drops its own keys first.
        access.lockSession()
        defer { access.waitForCalls() }
        if case .folder(let location, _) = access.source {
            // Then those of other processes, before any error about the state of the files.
            try lockOthers(location)
            guard try access.hasStore() else { throw KeychainError(DeviceError.noPasscode) }
        }
        guard try hasPasscode() else { throw KeychainError(DeviceError.noPasscode) }
    }

    private func lockOthers(_ location: KeychainLocation) throws(KeychainError) {
        let existing: PrivateDirectory?
        do { existing = try PrivateDirectory(asItIs: location) } catch { throw KeychainError(error) }
        guard let folder = existing else { return }
        Handover.withdrawAll(in: folder)
        try LockMark(folder).replace()
        // One that was offered in between is of the mark before, and worth nothing.
        Handover.withdrawAll(in: folder)
    }

    /// Whether there is something to lock; assumed if the store is busy.
    private func hasPasscode() throws(KeychainError) -> Bool {
        let deadline = Deadline(milliseconds: min(access.patienceMilliseconds, Self.longestLookMilliseconds))
        do throws(KeychainError) {
            return try access.withEngine(.reading, until: deadline) { (engine) throws(KeychainError) in
                try engine.hasPasscode()
            }
        } catch {
            guard error.isBusy else { throw error }
            return true
        }
    }

    // The device is locked by then, so that nothing is worth a longer wait.
    private static let longestLookMilliseconds: Int32 = 250

    func lockThisProcess() {
        access.lockSession()
        access.waitForCalls()
    }

    func unlock(passcode: SecretBytes) throws(KeychainError) {
        try PasscodeAttempt.withExclusiveAccess(access) { (attempt) throws(KeychainError) in
            guard let key = try attempt.check(passcode) else { return }
            try attempt.unlock(with: key)
        }
    }

    func setPasscode(_ passcode: SecretBytes) throws(KeychainError) {
        guard !passcode.isEmpty else { throw KeychainError(DeviceError.emptyPasscode) }
        try PasscodeAttempt.withExclusiveAccess(access) { (attempt) throws(KeychainError) in
            guard try attempt.slot() == nil else { throw KeychainError(DeviceError.passcodeAlreadySet) }
            let new = try attempt.derive(passcode)
            try attempt.replaceKeybag(unlockingWith: new.key) { (keybag) throws(ProtectionError) in
                try keybag.settingPasscode(new)
            }
        }
    }

    func changePasscode(from old: SecretBytes, to new: SecretBytes) throws(KeychainError) {
        guard !new.isEmpty || access.device.personality == .keychainFile else {
            throw KeychainError(DeviceError.emptyPasscode)
        }
        try PasscodeAttempt.withExclusiveAccess(access) { (attempt) throws(KeychainError) in
            guard let key = try attempt.check(old) else { throw KeychainError(DeviceError.noPasscode) }
            let slot = try attempt.derive(new)
            try attempt.replaceKeybag(unlockingWith: slot.key) { (keybag) throws(ProtectionError) in
                try keybag.changingPasscode(slot, try keybag.unlock(with: key))
            }
        }
    }

    func removePasscode(_ passcode: SecretBytes) throws(KeychainError) {
        try PasscodeAttempt.withExclusiveAccess(access) { (attempt) throws(KeychainError) in
            guard let key = try attempt.check(passcode) else { throw KeychainError(DeviceError.noPasscode) }
            try attempt.replaceKeybag(unlockingWith: nil) { (keybag) throws(ProtectionError) in
                try keybag.removingPasscode(try keybag.unlock(with: key))
            }
        }
    }

    func setPolicy(_ policy: DevicePolicy) throws(KeychainError) {
        let numbers = [policy.autoLockAfterSeconds, policy.eraseAfterFailedAttempts].compactMap(\.self)
        guard numbers.allSatisfy({ $0 > 0 }) else { throw KeychainError(DeviceError.unusablePolicy) }
        try access.withEngine { (engine) throws(KeychainError) in try engine.setPolicy(policy) }
    }
}
