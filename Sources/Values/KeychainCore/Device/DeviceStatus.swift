// SPDX-License-Identifier: Apache-2.0

/// What is known of a device without its passcode.
package struct DeviceStatus: Sendable, Hashable {
    /// Whether keys are given out, for this process.
    package var lockState: LockState

    /// Whether a passcode is set.
    package var hasPasscode: Bool

    /// Whether items stay closed to this process until somebody enters the passcode.
    package var isLocked: Bool { hasPasscode && lockState != .unlocked }

    /// How many wrong passcodes were given in a row, by whatever process; not those that were cut short before they
    /// were judged.
    package var failedAttempts: Int

    /// How many seconds have to pass before another passcode is looked at; 0 when none.
    package var secondsUntilNextAttempt: Double

    /// What the device does by itself.
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
