// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainEngine

extension VirtualDevice {
    /// Whether the device gives out what it keeps.
    public enum LockState: String, Sendable, Hashable, CaseIterable {
        /// It was not unlocked since it booted.
        case beforeFirstUnlock
        /// It is unlocked, or has no passcode.
        case unlocked
        /// It was unlocked once, and is locked.
        case locked
    }

    /// The state that the device is in.
    ///
    /// On a simulator it is only said, and takes nothing away.
    public var lockState: LockState {
        guard passcode != nil else { return .unlocked }
        return switch try? backend.device.status().lockState {
        case .beforeFirstUnlock: .beforeFirstUnlock
        case .locked: .locked
        case .unlocked, nil: .unlocked
        }
    }

    /// Locks the device.
    ///
    /// - Throws: ``VirtualDeviceError`` when it has no passcode.
    public func lock() throws(VirtualDeviceError) {
        guard passcode != nil else { throw VirtualDeviceError(KeychainError(DeviceError.noPasscode)) }
        try attempt { (device) throws(KeychainError) in try device.lock() }
    }

    /// Unlocks the device with its passcode.
    ///
    /// - Throws: ``VirtualDeviceError`` when too many wrong ones were tried just before.
    public func unlock() throws(VirtualDeviceError) { try unlock(passcode: owner.typedPasscode) }

    /// Unlocks the device with the passcode that somebody tries.
    ///
    /// - Throws: ``VirtualDeviceError`` for a wrong passcode, and when it is too soon to try another one.
    public func unlock(passcode: String) throws(VirtualDeviceError) {
        try attempt { (device) throws(KeychainError) in try device.unlock(passcode: Self.secret(passcode)) }
    }

    /// Switches the device off and on: with a passcode it is before its first unlock then.
    public func reboot() {
        // A keychain in memory is made at its first use, and is unlocked then: it has to be there before the device is
        // off.
        _ = try? backend.device.status()
        clock.reboot()
    }

    func attempt(_ body: (KeychainDevice) throws(KeychainError) -> Void) throws(VirtualDeviceError) {
        do throws(KeychainError) { try body(backend.device) } catch {
            // The keychain of a simulator that erased itself has no passcode until it gets another one.
            if error.kind == .device(.erased) { try hidePasscode() }
            throw VirtualDeviceError(error)
        }
    }
}
