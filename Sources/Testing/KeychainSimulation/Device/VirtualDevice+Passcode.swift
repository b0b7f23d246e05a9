// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainDoctor
import KeychainEngine

extension VirtualDevice {
    /// The passcode of the device; `nil` when it has none.
    public var passcode: String? { owner.passcode }

    /// Sets the first passcode.
    ///
    /// - Throws: ``VirtualDeviceError`` for an empty one, and if there already is a passcode.
    public func setPasscode(_ passcode: String) throws(VirtualDeviceError) {
        let hidden = platform.hiddenPasscode.map(Self.secret)
        let isFirst = self.passcode == nil
        try attempt { (device) throws(KeychainError) in
            if let hidden, isFirst, try device.status().hasPasscode {
                try device.changePasscode(from: hidden, to: Self.secret(passcode))
            } else {
                try device.setPasscode(Self.secret(passcode))
            }
        }
        macKeychains?.changePasscode(from: nil, to: passcode)
        owner.passcode = passcode
    }

    /// Changes the passcode; items are unaffected.
    ///
    /// - Throws: ``VirtualDeviceError`` for an empty one, and if there is no passcode.
    public func changePasscode(to passcode: String) throws(VirtualDeviceError) {
        try checkPasscode()
        let old = Self.secret(owner.typedPasscode)
        try attempt { (device) throws(KeychainError) in
            try device.changePasscode(from: old, to: Self.secret(passcode))
        }
        macKeychains?.changePasscode(from: self.passcode, to: passcode)
        owner.passcode = passcode
    }

    /// Removes the passcode, and with it permanently the items that require one, and every face and finger; a simulator
    /// keeps them.
    ///
    /// Items under `.biometryCurrentSet` become inaccessible, even if a passcode is set again.
    ///
    /// - Throws: ``VirtualDeviceError`` if there is none.
    public func removePasscode() throws(VirtualDeviceError) {
        try checkPasscode()
        let old = Self.secret(owner.typedPasscode)
        let hidden = platform.hiddenPasscode.map(Self.secret)
        try attempt { (device) throws(KeychainError) in
            if let hidden { try device.changePasscode(from: old, to: hidden) } else { try device.removePasscode(old) }
        }
        macKeychains?.changePasscode(from: passcode, to: nil)
        owner.passcode = nil
        if hidden == nil { calls.record(.passcodeRemoved) }
        if hidden == nil { removeBiometry() }
    }

    /// Gives a simulator the hidden passcode, if it has none.
    func hidePasscode() throws(VirtualDeviceError) {
        guard let hidden = platform.hiddenPasscode.map(Self.secret) else { return }
        do throws(KeychainError) {
            if try !backend.device.status().hasPasscode { try backend.device.setPasscode(hidden) }
        } catch {
            throw VirtualDeviceError(error)
        }
    }

    private func checkPasscode() throws(VirtualDeviceError) {
        guard passcode != nil else { throw VirtualDeviceError(KeychainError(DeviceError.noPasscode)) }
    }

    static func secret(_ text: String) -> SecretBytes { SecretBytes(Array(text.utf8)) }
}
