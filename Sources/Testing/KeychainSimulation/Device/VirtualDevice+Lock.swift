// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainEngine

extension VirtualDevice {
    /// The lock state of the device.
    public enum LockState: String, Sendable, Hashable, CaseIterable {
        /// It has not been unlocked since it booted.
        case beforeFirstUnlock
        /// It is unlocked, or has no passcode.
        case unlocked
        /// It has been unlocked since it booted, and is locked.
        case locked
    }

    /// The current lock state.
    ///
    /// On a simulator it has no effect on items.
    public var lockState: LockState {
        guard passcode != nil else { return .unlocked }
        return switch try? backend.device.status().lockState {
        case .beforeFirstUnlock: .beforeFirstUnlock
        case .locked: .locked
        case .unlocked, nil: .unlocked
        }
    }

    /// Locks the device; the file-based keychains of a Mac stay as they are.
    ///
    /// - Throws: ``VirtualDeviceError`` if it has no passcode.
    public func lock() throws(VirtualDeviceError) {
        guard passcode != nil else { throw VirtualDeviceError(KeychainError(DeviceError.noPasscode)) }
        try attempt { (device) throws(KeychainError) in try device.lock() }
    }

    /// Unlocks the device with its passcode.
    ///
    /// - Throws: ``VirtualDeviceError`` if too many wrong ones were just tried.
    public func unlock() throws(VirtualDeviceError) { try unlock(passcode: owner.typedPasscode) }

    /// Tries to unlock the device with a passcode.
    ///
    /// - Throws: ``VirtualDeviceError`` for a wrong passcode, and if it is too early to try another one.
    public func unlock(passcode: String) throws(VirtualDeviceError) {
        try attempt { (device) throws(KeychainError) in try device.unlock(passcode: Self.secret(passcode)) }
        macKeychains?.logIn(passcode)
    }

    /// Restarts the device: with a passcode it is then before its first unlock.
    public func reboot() {
        // A keychain in memory is created unlocked at its first use, so it must exist before the restart.
        _ = try? backend.device.status()
        clock.reboot()
        macKeychains?.logOut()
    }

    func attempt(_ body: (KeychainDevice) throws(KeychainError) -> Void) throws(VirtualDeviceError) {
        do throws(KeychainError) { try body(backend.device) } catch {
            // The keychain of a simulator that erased itself has no passcode until it is set again.
            if error.kind == .device(.erased) {
                leaveCloud()
                try hidePasscode()
                try? macKeychains?.erase()
            }
            throw VirtualDeviceError(error)
        }
    }
}
