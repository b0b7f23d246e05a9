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

    /// Records that the host is going to sleep or that the owner left, which counts as inactivity: takes effect at
    /// once.
    ///
    /// It wipes the unlocked keys of this process only; other processes are not affected.
    package func lockThisProcess() { _ = try? perform(.lockThisProcess) }
}
