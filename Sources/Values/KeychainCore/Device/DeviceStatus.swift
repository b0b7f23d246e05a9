// SPDX-License-Identifier: Apache-2.0

/// The status of a device, as available without its passcode.
package struct DeviceStatus: Sendable, Hashable {
    /// Whether keys are available to this process.
    package var lockState: LockState

    /// Whether a passcode is set.
    package var hasPasscode: Bool

    /// Whether items stay unavailable to this process until the passcode is entered.
    package var isLocked: Bool { hasPasscode && lockState != .unlocked }

    /// The number of consecutive wrong passcodes, over all processes, without attempts that were interrupted before
    /// verification.
    package var failedAttempts: Int

    /// How many seconds have to pass before another passcode is looked at; 0 when none.
    package var secondsUntilNextAttempt: Double

    /// The automatic actions of the device.
    package var policy: DevicePolicy

    /// A status.
    package init(
        lockState: LockState,
        hasPasscode: Bool,
        failedAttempts: Int = 0,
        secondsUntilNextAttempt: Double = 0,
        policy: DevicePolicy = DevicePolicy()
    ) {
        self.lockState = lockState
        self.hasPasscode = hasPasscode
        self.failedAttempts = failedAttempts
        self.secondsUntilNextAttempt = secondsUntilNextAttempt
        self.policy = policy
    }
}
