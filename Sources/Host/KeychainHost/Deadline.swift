// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The deadline of a call, by a clock that cannot be set (CLOCK_MONOTONIC): one for all that the call waits for.
package struct Deadline: Sendable {
    /// The time, in nanoseconds of the clock.
    private let nanoseconds: Int64

    /// So many milliseconds from now.
    package init(milliseconds: Int32) { nanoseconds = Self.now + Int64(max(0, milliseconds)) * 1_000_000 }

    /// So many microseconds from now.
    package init(microseconds: Int32) { nanoseconds = Self.now + Int64(max(0, microseconds)) * 1_000 }

    /// A number of seconds from now; a day at most, and now for a non-number.
    package init(seconds: Double) {
        self.init(milliseconds: Int32((min(max(0, seconds), 86_400) * 1_000).rounded(.up)))
    }

    private init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    /// This deadline, or one the given number of milliseconds from now if that is later.
    package func extended(milliseconds: Int32) -> Deadline {
        Deadline(nanoseconds: max(nanoseconds, Deadline(milliseconds: milliseconds).nanoseconds))
    }

    /// Whether the time is over.
    package var isOver: Bool { nanoseconds <= Self.now }

    /// The remaining time, for poll(2): rounded up, and 0 when it is over.
    package var millisecondsLeft: Int32 {
        Int32(clamping: (max(0, nanoseconds - Self.now) + 999_999) / 1_000_000)
    }

    /// The time for a call of the system.
    package var time: timespec {
        timespec(tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
    }

    private static var now: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    /// Waits between two attempts at something that another process prevents: longer each time, at most 25
    /// milliseconds, and never beyond the deadline.
    package struct Pauses {
        private let deadline: Deadline
        private var milliseconds: Int64 = 1

        /// The pauses of one call.
        package init(until deadline: Deadline) { self.deadline = deadline }

        /// Waits.
        ///
        /// - Returns: Whether to try again; `false` when the time was over before.
        package mutating func wait() -> Bool {
            let left = deadline.nanoseconds - Deadline.now
            guard left > 0 else { return false }
            var pause = timespec(tv_sec: 0, tv_nsec: Int(min(left, milliseconds * 1_000_000)))
            withUnsafeMutablePointer(to: &pause) { pause in
                while nanosleep(pause, pause) != 0, errno == EINTR {}
            }
            milliseconds = min(25, milliseconds + (milliseconds + 1) / 2)
            return true
        }
    }
}
