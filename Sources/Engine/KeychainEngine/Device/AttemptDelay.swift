// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// The delays after wrong passcodes, as published by Apple for iOS.
///
/// Four attempts are free; then the delays are 1 minute, 5 minutes, twice 15 minutes, and an hour each (iOS Security
/// Guide, "Passcodes").
enum AttemptDelay {
    /// The delay in seconds after a number of consecutive wrong passcodes.
    static func seconds(after attempts: Int64) -> Double {
        switch attempts {
        case ...4: 0
        case 5: 60
        case 6: 5 * 60
        case 7...8: 15 * 60
        default: 60 * 60
        }
    }

    /// The remaining delay in seconds, by the clock since boot or by the wall clock, whichever is longer.
    ///
    /// Each of them can be set forward: the first by a time namespace, the second by setting it.
    static func remaining(_ record: DeviceRecord, _ now: HostTime) -> Double {
        // More than the table has change nothing, and could be too many for their sum.
        let counts = [record.failedAttempts, record.interruptedAttempts].map { min(max(0, $0), 100) }
        let delay = seconds(after: counts[0] + counts[1])
        guard delay > 0, let last = record.lastAttempt else { return 0 }
        return max(
            0,
            delay - secondsSinceBoot(last, now),
            delay - secondsOfWallClock(from: last, to: now, delay: delay)
        )
    }

    /// How long ago it was by the clock since boot; a restart of the host restarts the delay, as on iOS.
    private static func secondsSinceBoot(_ last: HostTime, _ now: HostTime) -> Double {
        let start = last.bootIdentifier == now.bootIdentifier ? last.secondsSinceBoot : 0
        // A time in the future, as an edited file or a time namespace can produce, counts as now.
        return max(0, now.secondsSinceBoot - start)
    }

    /// How long ago it was by the wall clock.
    ///
    /// If the clock was set back, the delay counts as over; otherwise a wrong clock could lock the owner out for years.
    private static func secondsOfWallClock(from last: HostTime, to now: HostTime, delay: Double) -> Double {
        let passed = now.date.secondsSinceReferenceDate - last.date.secondsSinceReferenceDate
        return passed < 0 ? delay : passed
    }
}
