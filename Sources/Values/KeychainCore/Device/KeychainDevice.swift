// SPDX-License-Identifier: Apache-2.0

/// The device of a keychain: its passcode, and whether it is locked.
///
/// It sends commands, and has no state except for their destination. Every function is thread-safe. Those with a
/// passcode derive a key from it, which takes a good part of a second by design, and attempts are serialized over all
/// processes. They throw a ``KeychainError`` of the kind ``KeychainError/Kind/device(_:)``, or one of the store.
package struct KeychainDevice: Sendable {
    /// Performs the commands.
    package typealias Perform = @Sendable (KeychainCommand.Device) throws(KeychainError) -> KeychainReply

    private let perform: Perform

    /// The device that commands reach through a closure.
    package init(_ perform: @escaping Perform) { self.perform = perform }

    /// The status, as available without the passcode.
    package func status() throws(KeychainError) -> DeviceStatus {
        guard case .deviceStatus(let status) = try perform(.status) else { throw .unexpectedReply }
        return status
    }

    /// Locks the device, for every process: keys are wiped immediately here, and at the next call elsewhere.
    ///
    /// It waits for no other process. If there is no keychain, none is created.
    ///
    /// - Throws: ``DeviceError/noPasscode``; `errSecReadOnly` if the lock cannot be recorded, and only this process is
    ///   locked.
    package func lock() throws(KeychainError) { _ = try perform(.lock) }

    /// Unlocks the device for this process.
    ///
    /// It has no effect on a device without a passcode.
    ///
    /// - Throws: ``DeviceError/wrongPasscode(failedAttempts:secondsUntilNextAttempt:)``,
    ///   ``DeviceError/attemptTooSoon(secondsUntilNextAttempt:)``, ``DeviceError/erased``.
    package func unlock(passcode: SecretBytes) throws(KeychainError) { _ = try perform(.unlock(passcode)) }

    /// Sets the first passcode; the device stays unlocked in this process.
    ///
    /// - Throws: ``DeviceError/passcodeAlreadySet``, ``DeviceError/emptyPasscode``.
    package func setPasscode(_ passcode: SecretBytes) throws(KeychainError) { _ = try perform(.setPasscode(passcode)) }

    /// Replaces the passcode; no item changes, and the device is unlocked in this process afterwards.
    ///
    /// - Throws: The errors of ``unlock(passcode:)`` for the old one, ``DeviceError/noPasscode``,
    ///   ``DeviceError/emptyPasscode``.
    package func changePasscode(from old: SecretBytes, to new: SecretBytes) throws(KeychainError) {
        _ = try perform(.changePasscode(from: old, to: new))
    }

    /// Removes the passcode, and with it permanently every item that requires one (`akpu`).
    ///
    /// - Throws: The errors of ``unlock(passcode:)``, ``DeviceError/noPasscode``.
    package func removePasscode(_ passcode: SecretBytes) throws(KeychainError) {
        _ = try perform(.removePasscode(passcode))
    }

    /// Sets the automatic actions of the device.
    ///
    /// - Throws: ``DeviceError/unusablePolicy``; ``DeviceError/locked``, because a locked device cannot be changed.
    package func setPolicy(_ policy: DevicePolicy) throws(KeychainError) { _ = try perform(.setPolicy(policy)) }

    /// What is known without the passcode and the root key, also where that is lost; nothing is created.
    package func summary() throws(KeychainError) -> DeviceSummary {
        guard case .deviceSummary(let summary) = try perform(.summary) else { throw .unexpectedReply }
        return summary
    }

    /// Makes a recovery key valid; an earlier one opens nothing any more.
    ///
    /// - Parameters:
    ///   - key: the recovery key, which its owner has kept by now.
    ///   - passcode: the passcode of the device; `nil` where none is set.
    /// - Throws: The errors of ``unlock(passcode:)``; `errSecAuthFailed` for a missing passcode.
    package func createRecoveryKey(_ key: RecoveryKey, passcode: SecretBytes?) throws(KeychainError) {
        _ = try perform(.createRecoveryKey(key, passcode: passcode))
    }

    /// Fails unless a recovery key opens the store; changes nothing.
    ///
    /// - Throws: ``DeviceError/noRecoveryKey``, ``DeviceError/wrongRecoveryKey``.
    package func checkRecoveryKey(_ key: RecoveryKey) throws(KeychainError) { _ = try perform(.checkRecoveryKey(key)) }

    /// Sets another passcode by a recovery key, which another one replaces, in one transaction.
    ///
    /// It works without the root key, which is replaced if it cannot be used, and counts as no attempt of a passcode.
    /// Every other program is locked; the device is unlocked in this process.
    ///
    /// - Parameters:
    ///   - key: the recovery key.
    ///   - newPasscode: the passcode from now on; `nil` for none, where none was set.
    ///   - newRecoveryKey: the recovery key from now on, which its owner has kept by now.
    /// - Throws: The errors of ``checkRecoveryKey(_:)``, ``DeviceError/emptyPasscode``; nothing has changed in these
    ///   cases.
    package func useRecoveryKey(
        _ key: RecoveryKey,
        newPasscode: SecretBytes?,
        newRecoveryKey: RecoveryKey
    ) throws(KeychainError) {
        _ = try perform(.useRecoveryKey(key, newPasscode: newPasscode, newRecoveryKey: newRecoveryKey))
    }

    /// Makes the recovery key invalid.
    ///
    /// - Parameter passcode: the passcode of the device; `nil` where none is set.
    /// - Throws: The errors of ``unlock(passcode:)``, ``DeviceError/noRecoveryKey``; `errSecAuthFailed` for a missing
    ///   passcode.
    package func removeRecoveryKey(passcode: SecretBytes?) throws(KeychainError) {
        _ = try perform(.removeRecoveryKey(passcode: passcode))
    }

    /// Erases the device, without its passcode: no items, no passcode, no recovery key, no policy, other keys.
    ///
    /// Nothing happens where there is no keychain.
    ///
    /// - Throws: `errSecMissingEntitlement` in the system service, if a passcode is set that this process has not
    ///   entered.
    package func erase() throws(KeychainError) { _ = try perform(.erase) }

    /// Records that the host is going to sleep or that the owner left, which counts as inactivity: takes effect at
    /// once.
    ///
    /// It wipes the unlocked keys of this process only; other processes are not affected.
    package func lockThisProcess() { _ = try? perform(.lockThisProcess) }
}
