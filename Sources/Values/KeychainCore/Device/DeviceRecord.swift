// SPDX-License-Identifier: Apache-2.0

/// What a store remembers of its device, in the clear (Documentation/Format.md, "Device").
package struct DeviceRecord: Sendable, Hashable {
    /// Counts the keybags and policies, so that a process knows when to read the keybag again, and which record is
    /// newer.
    package var keybagRevision: Int64 = 0

    /// Passcodes in a row that were found wrong; so many may erase everything.
    package var failedAttempts: Int64 = 0

    /// Passcodes since the last right one whose judgement was cut short.
    ///
    /// Each is counted before it is looked at, and no longer once it was judged. They count for the delay, and never
    /// for the erasure.
    package var interruptedAttempts: Int64 = 0

    /// When the last passcode was given that is counted here; `nil` when there is none.
    package var lastAttempt: HostTime?

    /// ``DevicePolicy/autoLockAfterSeconds``.
    package var autoLockAfterSeconds: Int64?

    /// ``DevicePolicy/eraseAfterFailedAttempts``.
    package var eraseAfterFailedAttempts: Int64?

    /// Whether an earlier keybag may still be in the log, because a reader kept it from being emptied.
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

    /// What the wall clock shows, which can be set.
    package var date: Timestamp

    /// A time.
    package init(bootIdentifier: String, secondsSinceBoot: Double, date: Timestamp) {
        self.bootIdentifier = bootIdentifier
        self.secondsSinceBoot = secondsSinceBoot
        self.date = date
    }
}
