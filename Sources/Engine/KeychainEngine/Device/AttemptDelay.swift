// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// How long to wait after wrong passcodes, as Apple published it for iOS (iOS Security Guide, "Passcodes"):
/// four are free, then 1 minute, 5 minutes, twice 15 minutes, and an hour each.
enum AttemptDelay {
    /// The seconds that have to pass after so many passcodes in a row that were not right.
    static func seconds(after attempts: Int64) -> Double {
        switch attempts {
        case ...4: 0
        case 5: 60
        case 6: 5 * 60
        case 7...8: 15 * 60
        default: 60 * 60
        }
    }

    /// The seconds that still have to pass: those of the clock since boot, or those of the wall clock when they are
    /// more.
    ///
    /// Either alone can be put forward: the first by a time namespace, the second by setting it.
    static func remaining(_ record: DeviceRecord, _ now: HostTime) -> Double {
        // More than the table has change nothing, and could be too many for their sum.
        let counts = [record.failedAttempts, record.interruptedAttempts].map { min(max(0, $0), 100) }
        let delay = seconds(after: counts[0] + counts[1])
        guard delay > 0, let last = record.lastAttempt else { return 0 }
        return max(0, delay - secondsSinceBoot(last, now), delay - secondsOfWallClock(last, now, delay))
    }

    /// How long ago it was by the clock since boot: a restart of the host begins the wait anew, as on iOS.
    private static func secondsSinceBoot(_ last: HostTime, _ now: HostTime) -> Double {
        let start = last.bootIdentifier == now.bootIdentifier ? last.secondsSinceBoot : 0
        // A time that lies ahead, which an editor of the file or a time namespace makes, counts as now.
        return max(0, now.secondsSinceBoot - start)
    }

    /// How long ago it was by the wall clock; over when it was set back, or a wrong clock would keep its owner out for
    /// years.
    private static func secondsOfWallClock(_ last: HostTime, _ now: HostTime, _ delay: Double) -> Double {
        let passed = now.date.secondsSinceReferenceDate - last.date.secondsSinceReferenceDate
        return passed < 0 ? delay : passed
    }
}
