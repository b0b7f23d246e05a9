// SPDX-License-Identifier: Apache-2.0

/// The device that a keychain belongs to: its passcode, and whether it is locked.
///
/// A way to write commands; it holds nothing but where they go. Every function is thread-safe. Those that take a
/// passcode derive a key from it, which takes a good part of a second by design, and let one attempt in at a time over
/// all processes. They throw a ``KeychainError`` of the kind ``KeychainError/Kind/device(_:)``, or one of the store.
package struct KeychainDevice: Sendable {
    /// What carries out the commands.
    package typealias Perform = @Sendable (KeychainCommand.Device) throws(KeychainError) -> KeychainReply

    private let perform: Perform

    /// The device that commands reach through a closure.
    package init(_ perform: @escaping Perform) { self.perform = perform }

    /// What is known without the passcode.
    package func status() throws(KeychainError) -> DeviceStatus {
        guard case .deviceStatus(let status) = try perform(.status) else { throw .unexpectedReply }
        return status
    }

    /// Locks the device, for every process: what was unlocked is wiped here now, elsewhere at the next call.
    ///
    /// It waits for no other process. Where there is no keychain, none is made.
    ///
    /// - Throws: ``DeviceError/noPasscode``; `errSecReadOnly` where the lock cannot be written down, and only this
    ///   process is locked.
    package func lock() throws(KeychainError) { _ = try perform(.lock) }

    /// Unlocks the device for this process.
    ///
    /// Does nothing on a device without a passcode.
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
    /// - Throws: What ``unlock(passcode:)`` throws for the old one, ``DeviceError/noPasscode``,
    ///   ``DeviceError/emptyPasscode``.
    package func changePasscode(from old: SecretBytes, to new: SecretBytes) throws(KeychainError) {
        _ = try perform(.changePasscode(from: old, to: new))
    }

    /// Removes the passcode, and with it permanently every item that requires one (`akpu`).
    ///
    /// - Throws: What ``unlock(passcode:)`` throws, ``DeviceError/noPasscode``.
    package func removePasscode(_ passcode: SecretBytes) throws(KeychainError) {
        _ = try perform(.removePasscode(passcode))
    }

    /// Says what the device does by itself from now on.
    ///
    /// - Throws: ``DeviceError/unusablePolicy``; ``DeviceError/locked``, because a locked device cannot be changed.
    package func setPolicy(_ policy: DevicePolicy) throws(KeychainError) { _ = try perform(.setPolicy(policy)) }

    /// Notes that the host began to sleep or the owner left, for what is locked by inactivity: takes effect at once.
    ///
    /// Wipes what was unlocked in this process only; other processes are not concerned.
    package func lockThisProcess() { _ = try? perform(.lockThisProcess) }
}
