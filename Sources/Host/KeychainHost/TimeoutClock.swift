// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc

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
