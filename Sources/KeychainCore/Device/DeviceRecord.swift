// SPDX-License-Identifier: Apache-2.0

/// What a store remembers of its device, in the clear (Documentation/Format.md, "Device").
public struct DeviceRecord: Sendable, Hashable {
    /// Counts the locks; a process whose keys are from another epoch wipes them.
    public var lockEpoch: Int64 = 0

    /// Counts the keybags, so that a process knows when to read it anew.
    public var keybagRevision: Int64 = 0

    /// Wrong passcodes in a row; counted before a passcode is looked at.
    public var failedAttempts: Int64 = 0

    /// When the last of them was given; `nil` when there is none.
    public var lastAttempt: HostTime?

    /// ``DevicePolicy/autoLockAfterSeconds``.
    public var autoLockAfterSeconds: Int64?

    /// ``DevicePolicy/eraseAfterFailedAttempts``.
    public var eraseAfterFailedAttempts: Int64?

    /// Whether an earlier keybag may still lie in the log, because a reader kept it from being emptied.
    public var owesLogErasure = false

    /// The record of a new store.
    public init() {}
}

/// A time of the host: seconds since it booted, and which boot that was.
public struct HostTime: Sendable, Hashable {
    /// Which boot: the kernel's `boot_id`.
    public var bootIdentifier: String

    /// Seconds since then, sleep included.
    public var secondsSinceBoot: Double

    /// A time.
    public init(bootIdentifier: String, secondsSinceBoot: Double) {
        self.bootIdentifier = bootIdentifier
        self.secondsSinceBoot = secondsSinceBoot
    }
}
