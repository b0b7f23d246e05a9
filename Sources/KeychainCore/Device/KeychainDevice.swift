// SPDX-License-Identifier: Apache-2.0

/// The device that a keychain belongs to: its passcode, and whether it is locked.
///
/// Every function is thread-safe. Those that take a passcode derive a key from it, which takes a good part of a second by
/// design, and let one attempt in at a time over all processes. They throw a ``KeychainError`` whose cause is a
/// ``DeviceError``, or that of the store.
public protocol KeychainDevice: Sendable {
    /// What can be told without a passcode.
    func status() throws(KeychainError) -> DeviceStatus

    /// Locks the device, for every process: what was unlocked is wiped here now, elsewhere at the next call.
    ///
    /// It waits for no other process. Where there is no keychain, none is made.
    ///
    /// - Throws: ``DeviceError/noPasscode``; `errSecReadOnly` where the lock cannot be written down, and only this process
    ///   is locked.
    func lock() throws(KeychainError)

    /// Unlocks the device for this process.
    ///
    /// Does nothing on a device without a passcode.
    ///
    /// - Throws: ``DeviceError/wrongPasscode(failedAttempts:secondsUntilNextAttempt:)``,
    ///   ``DeviceError/attemptTooSoon(secondsUntilNextAttempt:)``, ``DeviceError/erased``.
    func unlock(passcode: SecretBytes) throws(KeychainError)

    /// Sets the first passcode; the device stays unlocked in this process.
    ///
    /// - Throws: ``DeviceError/passcodeAlreadySet``, ``DeviceError/emptyPasscode``.
    func setPasscode(_ passcode: SecretBytes) throws(KeychainError)

    /// Replaces the passcode; no item changes, and the device is unlocked in this process afterwards.
    ///
    /// - Throws: What ``unlock(passcode:)`` throws for the old one, ``DeviceError/noPasscode``,
    ///   ``DeviceError/emptyPasscode``.
    func changePasscode(from old: SecretBytes, to new: SecretBytes) throws(KeychainError)

    /// Removes the passcode, and with it for ever every item that asks for one (`akpu`).
    ///
    /// - Throws: What ``unlock(passcode:)`` throws, ``DeviceError/noPasscode``.
    func removePasscode(_ passcode: SecretBytes) throws(KeychainError)

    /// Says what the device does by itself from now on.
    ///
    /// - Throws: ``DeviceError/unusablePolicy``; ``DeviceError/locked``, because a locked device is for nobody to change.
    func setPolicy(_ policy: DevicePolicy) throws(KeychainError)

    /// Notes that the host began to sleep or the owner left, for what is locked by inactivity: takes effect at once.
    ///
    /// Wipes what was unlocked in this process only; other processes are not concerned.
    func lockThisProcess()
}
