// SPDX-License-Identifier: Apache-2.0

import CKeychainSupport
import Glibc
import KeychainHost

/// The events that a socket is waited for, and those that it is ready for.
package struct SocketReadiness: OptionSet, Sendable, Hashable {
    /// The bits, as CKeychainSockets.h has them.
    package let rawValue: Int32

    /// A set of bits.
    package init(rawValue: Int32) { self.rawValue = rawValue }

    /// It is readable.
    package static let readable = SocketReadiness(rawValue: Int32(KEYCHAIN_READABLE))
    /// It is writable.
    package static let writable = SocketReadiness(rawValue: Int32(KEYCHAIN_WRITABLE))
    /// The other side has closed the connection; always reported.
    package static let ended = SocketReadiness(rawValue: Int32(KEYCHAIN_ENDED))

    /// Blocks until a socket is ready, up to a timeout in milliseconds.
    ///
    /// - Returns: The events it is ready for; empty after the timeout or a signal.
    package static func wait(for wanted: SocketReadiness, of socket: Int32, milliseconds: Int32) -> SocketReadiness {
        let ready = keychain_wait(socket, wanted.rawValue, milliseconds)
        // A descriptor that cannot be waited for is over.
        return ready < 0 ? .ended : SocketReadiness(rawValue: ready)
    }

    /// Blocks until a socket is ready, or a deadline is over.
    ///
    /// - Returns: What it is ready for; empty after the deadline.
    package static func wait(
        for wanted: SocketReadiness,
        of socket: Int32,
        until deadline: Deadline
    ) -> SocketReadiness {
        while true {
            let ready = wait(for: wanted, of: socket, milliseconds: deadline.waitMilliseconds)
            if !ready.isEmpty || deadline.isOver { return ready }
        }
    }
}

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

    private static let maximumSkips = 256

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
        skips = wasInVain ? min(Self.maximumSkips, max(1, 2 * skips)) : 0
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
