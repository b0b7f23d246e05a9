// SPDX-License-Identifier: Apache-2.0

// Which module owns `timespec` depends on which is imported first.
import CKeychainSupport
import Glibc
import KeychainCore

/// The source of creation and modification dates.
package protocol KeychainClock: Sendable {
    /// The time now.
    var now: Timestamp { get }
}

/// The system's wall clock.
package struct SystemClock: KeychainClock {
    /// The system's wall clock.
    package init() {}

    /// The current time, to the nanosecond as far as binary64 permits.
    package var now: Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        let seconds = Double(time.tv_sec) - Timestamp.referenceDateSince1970 + Double(time.tv_nsec) / 1e9
        return Timestamp(secondsSinceReferenceDate: seconds)
    }
}

/// A clock that stands still.
struct FixedClock: KeychainClock {
    let now: Timestamp
}
