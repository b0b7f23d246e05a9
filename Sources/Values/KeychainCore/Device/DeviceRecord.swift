// SPDX-License-Identifier: Apache-2.0

/// The unencrypted record of a device in its store (Documentation/Format.md, "Device").
package struct DeviceRecord: Sendable, Hashable {
    /// Counts the keybags and policies, so that a process can detect when to reread the keybag, and which record is
    /// newer.
    package var keybagRevision: Int64 = 0

    /// The number of consecutive wrong passcodes; too many may cause the device to be erased.
    package var failedAttempts: Int64 = 0

    /// The number of attempts since the last correct passcode that were interrupted.
    ///
    /// Each attempt is counted before verification, and removed from the count afterwards. They count for the delay,
    /// but never for the erasure.
    package var interruptedAttempts: Int64 = 0

    /// The time of the last counted attempt; `nil` if there is none.
    package var lastAttempt: HostTime?

    /// ``DevicePolicy/autoLockAfterSeconds``.
    package var autoLockAfterSeconds: Int64?

    /// ``DevicePolicy/eraseAfterFailedAttempts``.
    package var eraseAfterFailedAttempts: Int64?

    /// Whether an earlier keybag may still be in the log, because a reader prevented it from being emptied.
    package var owesLogErasure = false

    /// The record of a new store.
    package init() {}
}

/// A time of the host: seconds since it booted, which boot that was, and what its wall clock shows.
package struct HostTime: Sendable, Hashable {
    /// Which boot: the kernel's `boot_id`.
    package var bootIdentifier: String

    /// Seconds since then, sleep included.
    package var secondsSinceBoot: Double

    /// The time of the wall clock, which can be set.
    package var date: Timestamp

    /// A time.
    package init(bootIdentifier: String, secondsSinceBoot: Double, date: Timestamp) {
        self.bootIdentifier = bootIdentifier
        self.secondsSinceBoot = secondsSinceBoot
        self.date = date
    }
}

/// The automatic actions of a device.
package struct DevicePolicy: Sendable, Hashable {
    /// After how many seconds without a call a process locks itself; `nil` for never.
    package var autoLockAfterSeconds: Int?

    /// After how many wrong passcodes in a row everything is erased; `nil` for never.
    package var eraseAfterFailedAttempts: Int?

    /// A policy; the default does neither.
    package init(autoLockAfterSeconds: Int? = nil, eraseAfterFailedAttempts: Int? = nil) {
        self.autoLockAfterSeconds = autoLockAfterSeconds
        self.eraseAfterFailedAttempts = eraseAfterFailedAttempts
    }
}
