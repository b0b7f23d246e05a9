// SPDX-License-Identifier: Apache-2.0

import CKeychainSupport
import Dispatch
import Glibc
import KeychainHost

/// Looks at all that is watched for idleness, on one thread of the process, which ends when nothing is watched any
/// more.
///
/// A plain thread, because Dispatch has none in a forked child. It waits in real time, whatever clock idleness is
/// measured by.
final class IdlenessTimer: Sendable {
    /// Something that is watched.
    final class Entry: Sendable {
        let look: @Sendable () -> Double?

        fileprivate init(_ look: @escaping @Sendable () -> Double?) { self.look = look }
    }

    private struct State {
        /// What is watched, and when to look at it.
        var watched: [(entry: Entry, time: Double)] = []
        var hasThread = false

        /// Has something looked at, at this time or sooner.
        ///
        /// - Returns: Whether that is sooner than it was.
        mutating func watch(_ entry: Entry, at time: Double) -> Bool {
            guard let index = watched.firstIndex(where: { $0.entry === entry }) else {
                watched.append((entry, time))
                return true
            }
            guard time < watched[index].time else { return false }
            watched[index].time = time
            return true
        }
    }

    /// The name of its thread.
    static let threadName = "keychain-idle"

    // It waits no longer than that, because no wait that can be ended goes on counting while the host sleeps.
    private static let longestWait = 60.0

    private let forkGeneration = keychain_fork_generation()
    private let wake = DispatchSemaphore(value: 0)
    // Taken by calls, which are not forked in their midst; so is the latest timer.
    private let state = ForkSafe(State())

    private static let latest = ForkSafe<IdlenessTimer?>(nil)

    /// The timer: a forked child has another one, because it has no thread of the first.
    static var ofThisProcess: IdlenessTimer {
        latest.withLock { latest in
            if let latest, latest.forkGeneration == keychain_fork_generation() { return latest }
            let made = IdlenessTimer()
            latest = made
            return made
        }
    }

    private init() {}

    /// Has something looked at.
    ///
    /// - Parameters:
    ///   - known: what it is, if it was watched before.
    ///   - seconds: when, at the latest.
    ///   - look: looks at it, and says in how many seconds to look again; `nil` for never.
    /// - Returns: What is watched; `nil` if there is no thread for it: then the keys go at the next call.
    func watch(_ known: Entry?, after seconds: Double, _ look: @escaping @Sendable () -> Double?) -> Entry? {
        let entry = known ?? Entry(look)
        return state.withLock { state in
            guard state.watch(entry, at: Self.time(after: seconds)) else { return entry }
            if state.hasThread {
                wake.signal()
                return entry
            }
            // The signals of the process are for its own threads.
            state.hasThread = HostThread.start(.blocked) { [self] in run() }
            guard !state.hasThread else { return entry }
            state.watched.removeAll { $0.entry === entry }
            return nil
        }
    }

    private func run() {
        keychain_name_thread(Self.threadName)
        while let (due, seconds) = next() {
            for entry in due {
                guard let seconds = entry.look() else { continue }
                // It may be watched anew already.
                state.withLock { _ = $0.watch(entry, at: Self.time(after: seconds)) }
            }
            if due.isEmpty { _ = wake.wait(timeout: .now() + min(seconds, Self.longestWait)) }
        }
    }

    /// What to look at now, and in how many seconds there is more; `nil` when nothing is watched any more.
    private func next() -> (due: [Entry], seconds: Double)? {
        state.withLock { state in
            let now = Self.now
            let due = state.watched.filter { $0.time <= now }.map(\.entry)
            // Before the look, so that what is wanted during it is watched anew.
            state.watched.removeAll { $0.time <= now }
            guard !due.isEmpty || !state.watched.isEmpty else {
                state.hasThread = false
                return nil
            }
            let first = state.watched.map(\.time).min() ?? .infinity
            return (due, max(0, first - now))
        }
    }

    private static var now: Double {
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    private static func time(after seconds: Double) -> Double { now + min(max(seconds, 0.01), 24 * 3600) }
}
