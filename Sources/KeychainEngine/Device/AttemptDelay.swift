// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// How long to wait after wrong passcodes, as Apple published it for iOS (iOS Security Guide, "Passcodes"):
/// four are free, then 1 minute, 5 minutes, twice 15 minutes, and an hour each.
enum AttemptDelay {
    /// The seconds that have to pass after so many wrong passcodes in a row.
    static func seconds(after failedAttempts: Int64) -> Double {
        switch failedAttempts {
        case ...4: 0
        case 5: 60
        case 6: 5 * 60
        case 7...8: 15 * 60
        default: 60 * 60
        }
    }

    /// The seconds that still have to pass.
    ///
    /// A restart of the host begins the wait anew, as on iOS.
    static func remaining(_ record: DeviceRecord, _ now: HostTime) -> Double {
        let delay = seconds(after: record.failedAttempts)
        guard delay > 0, let last = record.lastAttempt else { return 0 }
        let isSameBoot = last.bootIdentifier == now.bootIdentifier
        let start = isSameBoot ? last.secondsSinceBoot : 0
        // A time that lies ahead, which nobody but an editor of the file writes, counts as now.
        let passed = max(0, now.secondsSinceBoot - start)
        return max(0, delay - passed)
    }
}
