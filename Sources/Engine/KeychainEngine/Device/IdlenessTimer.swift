// SPDX-License-Identifier: Apache-2.0

import CKeychainSupport
import Dispatch
import Glibc
import KeychainHost

/// Checks all watched objects for idleness, on one thread of the process, which ends when nothing is watched any more.
///
/// It is a plain thread, because Dispatch has no threads in a forked child. It waits in real time, regardless of the
/// clock that measures idleness.
final class IdlenessTimer: Sendable {
    /// Something that is watched.
    final class Entry: Sendable {
        let look: @Sendable () -> Double?

        fileprivate init(_ look: @escaping @Sendable () -> Double?) { self.look = look }
    }

    private struct State {
        /// The watched objects, and when to check them.
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

    // It waits no longer than that, because no cancelable wait continues counting while the host sleeps.
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

    /// Schedules a check.
    ///
    /// - Parameters:
    ///   - known: the identifier of the watched object, if it was watched before.
    ///   - seconds: the latest time of the check, in seconds from now.
    ///   - look: performs the check, and returns the number of seconds until the next one; `nil` for never.
    /// - Returns: The identifier; `nil` if no thread could be started: then the next call drops the keys.
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
                // It may be watched again already.
                state.withLock { _ = $0.watch(entry, at: Self.time(after: seconds)) }
            }
            if due.isEmpty { _ = wake.wait(timeout: .now() + min(seconds, Self.longestWait)) }
        }
    }

    /// The checks to run now, and the seconds until the next ones; `nil` when nothing is watched any more.
    private func next() -> (due: [Entry], seconds: Double)? {
        state.withLock { state in
            let now = Self.now
            let due = state.watched.filter { $0.time <= now }.map(\.entry)
            // Before the check, so that an object that is scheduled during it is watched again.
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

/// Checks for idleness after a while, by the one ``IdlenessTimer`` of the process.
final class IdlenessWatch: Sendable {
    private let watched = ForkSafe<(entry: IdlenessTimer.Entry, timer: IdlenessTimer)?>(nil)

    /// Begins to watch, unless it is looked soon enough already.
    func start(after seconds: Double, _ look: @escaping @Sendable () -> Double?) {
        let timer = IdlenessTimer.ofThisProcess
        watched.withLock { watched in
            // That of the process which this one was forked from is of no use here.
            let known = watched.flatMap { $0.timer === timer ? $0.entry : nil }
            watched = timer.watch(known, after: seconds, look).map { ($0, timer) }
        }
    }
}
