// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainEngine

extension VirtualDevice {
    /// The automatic lock and erasure of a device.
    public struct Policy: Sendable, Hashable {
        /// After how many seconds without a keychain call the device locks; `nil` for never.
        public var autoLockAfterSeconds: Int?

        /// After how many wrong passcodes in a row the device erases itself; `nil` for never.
        public var eraseAfterFailedAttempts: Int?

        /// A policy; by default the device does neither.
        public init(autoLockAfterSeconds: Int? = nil, eraseAfterFailedAttempts: Int? = nil) {
            self.autoLockAfterSeconds = autoLockAfterSeconds
            self.eraseAfterFailedAttempts = eraseAfterFailedAttempts
        }
    }

    /// The policy of the device.
    ///
    /// - Throws: ``VirtualDeviceError`` when the store cannot be read.
    public var policy: Policy {
        get throws(VirtualDeviceError) {
            let policy = try status().policy
            return Policy(
                autoLockAfterSeconds: policy.autoLockAfterSeconds,
                eraseAfterFailedAttempts: policy.eraseAfterFailedAttempts
            )
        }
    }

    /// Sets the policy of the device.
    ///
    /// - Throws: ``VirtualDeviceError`` for a number that is not above 0, and while the device is locked.
    public func setPolicy(_ policy: Policy) throws(VirtualDeviceError) {
        let policy = DevicePolicy(
            autoLockAfterSeconds: policy.autoLockAfterSeconds,
            eraseAfterFailedAttempts: policy.eraseAfterFailedAttempts
        )
        try attempt { (device) throws(KeychainError) in try device.setPolicy(policy) }
    }

    /// The number of consecutive wrong passcodes.
    ///
    /// - Throws: ``VirtualDeviceError`` when the store cannot be read.
    public var failedAttempts: Int { get throws(VirtualDeviceError) { try status().failedAttempts } }

    /// The time on the device's clock until another passcode may be tried.
    ///
    /// - Throws: ``VirtualDeviceError`` if the store cannot be read.
    public var timeUntilNextAttempt: Duration {
        get throws(VirtualDeviceError) { .seconds(try status().secondsUntilNextAttempt) }
    }

    private func status() throws(VirtualDeviceError) -> DeviceStatus {
        do throws(KeychainError) { return try backend.device.status() } catch { throw VirtualDeviceError(error) }
    }
}
