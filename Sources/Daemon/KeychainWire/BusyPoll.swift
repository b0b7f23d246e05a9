// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainHost

/// Decides whether to wait for the other side of a connection by busy polling: for about as long as a wake-up takes,
/// before the thread sleeps.
///
/// Waking a thread on an idle processor of a virtual machine takes 60 to 100 µs, longer than reading an item. Polling
/// for no longer than that at most doubles the cost of the wait. A program polls for longer, so that it needs no
/// wake-up either if a change becomes durable in less time. After an unsuccessful poll the next waits are not polled,
/// twice as many each time.
package struct BusyPoll: Sendable {
    private var skipped = 0
    private var skips = 0

    private static let mostSkips = 256

    /// The next wait is polled.
    package init() {}

    /// Whether to poll this time; ``end(wasInVain:)`` has to follow then.
    package mutating func begin() -> Bool {
        guard Self.processors > 1 else { return false }
        guard skipped < skips else { return true }
        skipped += 1
        return false
    }

    /// Notes the result of a poll.
    package mutating func end(wasInVain: Bool) {
        skips = wasInVain ? min(Self.mostSkips, max(1, 2 * skips)) : 0
        skipped = 0
    }

    /// Polls until a socket is readable or its connection has ended.
    ///
    /// - Parameters:
    ///   - socket: the socket.
    ///   - microseconds: the maximum time.
    ///   - isWanted: whether to continue.
    /// - Returns: Whether it is ready; `false` after that time, or if polling is no longer wanted.
    package static func wait(
        for socket: Int32,
        atMost microseconds: Int32 = 100,
        while isWanted: () -> Bool = { true }
    ) -> Bool {
        let end = Deadline(microseconds: microseconds)
        repeat {
            guard SocketReadiness.wait(for: .readable, of: socket, milliseconds: 0).isEmpty else { return true }
            // The other side may be waiting for this processor.
            sched_yield()
        } while !end.isOver && isWanted()
        return false
    }

    /// Whether a polling thread leaves a processor for each of a number of other busy threads.
    package static func hasRoom(besides others: Int) -> Bool { others < processors }

    private static let processors = sysconf(Int32(_SC_NPROCESSORS_ONLN))
}
