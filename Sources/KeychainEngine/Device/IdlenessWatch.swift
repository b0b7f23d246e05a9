// SPDX-License-Identifier: Apache-2.0

import CKeychainSupport
import Glibc
import HostFiles

/// Looks after a while whether something lies idle, on a thread of its own.
///
/// A plain thread, because Dispatch has none in a forked child. It sleeps in real time, whatever clock idleness is
/// measured by, and ends when there is nothing to watch any more.
final class IdlenessWatch: @unchecked Sendable {
    // Touched under the mutex of the session.
    private var current: Watching?

    /// One thread, until it has nothing to do any more.
    ///
    /// It ends with its process: in a forked child there is none.
    private final class Watching: @unchecked Sendable {
        let look: @Sendable () -> Double?
        let firstSleep: Double
        let forkGeneration = keychain_fork_generation()
        // Read and written by both sides, under the lock.
        private let lock = ForkSafeLock()
        private var wakesAt: Double?
        private var isSuperseded = false

        init(_ firstSleep: Double, _ look: @escaping @Sendable () -> Double?) {
            self.firstSleep = firstSleep
            self.look = look
            note(nextLookIn: firstSleep)
        }

        /// Whether it will look in so many seconds at the latest.
        func looks(within seconds: Double) -> Bool {
            // First of all: a fork may have happened while the thread held the lock, and the child's copy stays taken.
            guard forkGeneration == keychain_fork_generation() else { return false }
            lock.acquire()
            defer { lock.release() }
            guard let wakesAt else { return false }
            return wakesAt <= IdlenessWatch.now + IdlenessWatch.bounded(seconds)
        }

        /// Has it end when it wakes up: another one looks sooner.
        func supersede() {
            guard forkGeneration == keychain_fork_generation() else { return }
            lock.acquire()
            isSuperseded = true
            lock.release()
        }

        func run() {
            var seconds = firstSleep
            while true {
                IdlenessWatch.sleep(seconds)
                // The end is noted before the look, so that a watch that is wanted during it gets a new thread.
                guard note(nextLookIn: nil), let next = look() else { return }
                note(nextLookIn: next)
                seconds = next
            }
        }

        /// Notes when it will look again, or that it ends; answers whether it is still wanted.
        @discardableResult
        private func note(nextLookIn seconds: Double?) -> Bool {
            lock.acquire()
            defer { lock.release() }
            wakesAt = seconds.map { IdlenessWatch.now + IdlenessWatch.bounded($0) }
            return !isSuperseded
        }
    }

    /// Begins to watch, unless a thread does already that looks soon enough.
    func start(after seconds: Double, _ look: @escaping @Sendable () -> Double?) {
        if current?.looks(within: seconds) ?? false { return }
        let watching = Watching(seconds, look)
        // The signals of the process are for its own threads. Without a thread the keys go at the next call.
        guard HostThread.start(.blocked, { watching.run() }) else { return }
        // A policy that asks for less idleness than before is not kept waiting by a thread that sleeps for longer.
        current?.supersede()
        current = watching
    }

    private static var now: Double {
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    private static func bounded(_ seconds: Double) -> Double { min(max(seconds, 0.01), 24 * 3600) }

    private static func sleep(_ seconds: Double) {
        let bounded = bounded(seconds)
        var time = timespec(tv_sec: Int(bounded), tv_nsec: Int((bounded - bounded.rounded(.down)) * 1e9))
        withUnsafeMutablePointer(to: &time) { time in
            while clock_nanosleep(CLOCK_BOOTTIME, 0, time, time) == EINTR {}
        }
    }
}
