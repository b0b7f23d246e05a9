// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A time by the monotonic clock until which something may take.
struct Deadline: Sendable {
    private let seconds: Double

    /// So many seconds from now; a day at most, and now for what is no number.
    init(in seconds: Double) {
        self.seconds = Self.now + min(max(0, seconds), 86_400)
    }

    /// For how long poll(2) may wait; 0 when the time is over.
    var milliseconds: Int32 { Int32(max(((seconds - Self.now) * 1000).rounded(.up), 0)) }

    private static var now: Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
