// SPDX-License-Identifier: Apache-2.0

import CSystemd

/// Tells the service manager what state the daemon is in (sd_notify(3)); does nothing where none started it.
struct ServiceNotification: Sendable {
    /// How often to say that the daemon works, in milliseconds: twice in the time after which the service manager ends
    /// it otherwise (`WatchdogSec=`, sd_watchdog_enabled(3)); `nil` for never.
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
