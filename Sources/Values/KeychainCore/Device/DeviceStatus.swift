// SPDX-License-Identifier: Apache-2.0

/// What is known of a device without its passcode.
public struct DeviceStatus: Sendable, Hashable {
    /// Whether keys are given out, for this process.
    public var lockState: LockState

    /// Whether a passcode is set.
    public var hasPasscode: Bool

    /// Whether items stay closed to this process until somebody enters the passcode.
    public var isLocked: Bool { hasPasscode && lockState != .unlocked }

    /// How many wrong passcodes were given in a row, by whatever process; not those that were cut short before they
    /// were judged.
    public var failedAttempts: Int

    /// How many seconds have to pass before another passcode is looked at; 0 when none.
    public var secondsUntilNextAttempt: Double

    /// What the device does by itself.
    public var policy: DevicePolicy

    /// A status.
    public init(
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
