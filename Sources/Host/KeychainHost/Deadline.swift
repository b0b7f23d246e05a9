// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc

/// The deadline of a call, by a clock that cannot be set (``TimeoutClock``): one for all that the call waits for.
package struct Deadline: Sendable {
    /// The time, in nanoseconds of the clock.
    private let nanoseconds: Int64
    private let clock: TimeoutClock

    /// So many milliseconds from now.
    package init(milliseconds: Int32) { self.init(milliseconds: milliseconds, by: .system) }

    /// So many milliseconds from now, by a clock.
    package init(milliseconds: Int32, by clock: TimeoutClock) {
        self.init(nanoseconds: clock.now + Int64(max(0, milliseconds)) * 1_000_000, clock)
    }

    /// So many microseconds from now.
    package init(microseconds: Int32) {
        self.init(nanoseconds: TimeoutClock.system.now + Int64(max(0, microseconds)) * 1_000, .system)
    }

    /// A number of seconds from now; a day at most, and now for a non-number.
    package init(seconds: Double) {
        self.init(milliseconds: Int32((min(max(0, seconds), 86_400) * 1_000).rounded(.up)))
    }

    private init(nanoseconds: Int64, _ clock: TimeoutClock) {
        self.nanoseconds = nanoseconds
        self.clock = clock
    }

    /// This deadline, or one the given number of milliseconds from now if that is later.
    package func extended(milliseconds: Int32) -> Deadline {
        Deadline(nanoseconds: max(nanoseconds, Deadline(milliseconds: milliseconds, by: clock).nanoseconds), clock)
    }

    /// Whether the time is over.
    package var isOver: Bool { nanosecondsLeft <= 0 }

    /// The remaining time, for poll(2): rounded up, and 0 when it is over.
    package var millisecondsLeft: Int32 {
        Int32(clamping: (max(0, nanosecondsLeft) + 999_999) / 1_000_000)
    }

    /// For how many milliseconds a call of the system may wait before the deadline is looked at again: what is left of
    /// the time, or less by the clock of a test.
    package var waitMilliseconds: Int32 { min(millisecondsLeft, clock.readAgainMilliseconds ?? .max) }

    private var nanosecondsLeft: Int64 { nanoseconds - clock.now }

    /// The time for a call of the system, which knows no clock of a test.
    package var time: timespec {
        precondition(clock.isOfSystem)
        return timespec(tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
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
            let left = deadline.nanosecondsLeft
            guard left > 0 else { return false }
            let longest = min(milliseconds, Int64(deadline.clock.readAgainMilliseconds ?? .max))
            var pause = timespec(tv_sec: 0, tv_nsec: Int(min(left, longest * 1_000_000)))
            withUnsafeMutablePointer(to: &pause) { pause in
                while nanosleep(pause, pause) != 0, errno == EINTR {}
            }
            milliseconds = min(25, milliseconds + (milliseconds + 1) / 2)
            return true
        }
    }
}

/// The clock that timeouts are measured by: that of the system, or one that a test advances.
package final class TimeoutClock: Sendable {
    private let read: @Sendable () -> Int64

    /// After how many milliseconds whoever waits reads the clock again; `nil` where it goes on by itself.
    let readAgainMilliseconds: Int32?

    /// The clock of the system that cannot be set (CLOCK_MONOTONIC).
    package static let system = TimeoutClock(readAgainMilliseconds: nil) {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    /// A clock of a test.
    ///
    /// - Parameter nanoseconds: the time, which never decreases.
    package convenience init(_ nanoseconds: @escaping @Sendable () -> Int64) {
        self.init(readAgainMilliseconds: 2, nanoseconds)
    }

    private init(readAgainMilliseconds: Int32?, _ read: @escaping @Sendable () -> Int64) {
        self.readAgainMilliseconds = readAgainMilliseconds
        self.read = read
    }

    /// The time in nanoseconds.
    package var now: Int64 { read() }

    /// Whether it is the clock of the system.
    package var isOfSystem: Bool { readAgainMilliseconds == nil }
}

extension TimeoutClock: Hashable {
    package static func == (one: TimeoutClock, other: TimeoutClock) -> Bool { one === other }

    package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension DispatchSemaphore {
    /// Waits until it is signalled, or a deadline is over.
    package func wait(until deadline: Deadline) -> DispatchTimeoutResult {
        repeat {
            let milliseconds = Int(deadline.waitMilliseconds)
            if wait(timeout: .now() + .milliseconds(milliseconds)) == .success { return .success }
        } while !deadline.isOver
        return .timedOut
    }
}
