// SPDX-License-Identifier: Apache-2.0

import CSystemd

/// Notifies the service manager of the daemon's state (sd_notify(3)); does nothing without a service manager.
struct ServiceNotification: Sendable {
    /// The interval of watchdog notifications in milliseconds: half of the time after which the service manager would
    /// otherwise kill it (`WatchdogSec=`, sd_watchdog_enabled(3)); `nil` for never.
    let watchdogMilliseconds: Int32?

    /// The service manager of this process.
    init() {
        var microseconds: UInt64 = 0
        let isWatched = sd_watchdog_enabled(0, &microseconds) > 0
        watchdogMilliseconds = isWatched ? Int32(clamping: max(1, microseconds / 2000)) : nil
    }

    /// The daemon is ready.
    func ready(_ status: String) { sd_notify(0, "READY=1\nSTATUS=\(status)") }

    /// The daemon is stopping, once calls in progress are answered.
    func stopping() { sd_notify(0, "STOPPING=1\nSTATUS=Ending.") }

    /// The daemon works.
    func alive() { sd_notify(0, "WATCHDOG=1") }
}
