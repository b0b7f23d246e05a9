// SPDX-License-Identifier: Apache-2.0

import CKeychainSupport
import Dispatch
import Glibc
import HostFiles

/// Looks at all that is watched for idleness, on one thread of the process, which ends when nothing is watched any
/// more.
///
/// A plain thread, because Dispatch has none in a forked child. It waits in real time, whatever clock idleness is
/// measured by.
final class IdlenessTimer: @unchecked Sendable {
    /// Something that is watched.
    final class Entry: @unchecked Sendable {
        let look: @Sendable () -> Double?
        // Under the lock of the timer: when to look; `nil` for not any more.
        fileprivate var time: Double?

        fileprivate init(_ look: @escaping @Sendable () -> Double?) { self.look = look }
    }

    /// The name of its thread.
    static let threadName = "keychain-idle"

    // It waits no longer than that, because no wait that can be ended goes on counting while the host sleeps.
    private static let longestWait = 60.0

    private let forkGeneration = keychain_fork_generation()
    private let lock = ForkSafeLock()
    private let wake = DispatchSemaphore(value: 0)
    // Under the lock.
    private var entries: [Entry] = []
    private var hasThread = false

    // Taken by calls, which are not forked in their midst.
    private static let latestLock = ForkSafeLock()
    nonisolated(unsafe) private static var latest: IdlenessTimer?

    /// The timer: a forked child has another one, because it has no thread of the first.
    static var ofThisProcess: IdlenessTimer {
        latestLock.acquire()
        defer { latestLock.release() }
        if let latest, latest.forkGeneration == keychain_fork_generation() { return latest }
        let made = IdlenessTimer()
        latest = made
        return made
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
        lock.acquire()
        defer { lock.release() }
        let time = Self.time(after: seconds)
        let entry = known ?? Entry(look)
        if let soon = entry.time {
            guard time < soon else { return entry }
        } else {
            entries.append(entry)
        }
        entry.time = time
        if hasThread {
            wake.signal()
            return entry
        }
        // The signals of the process are for its own threads.
        hasThread = HostThread.start(.blocked) { [self] in run() }
        guard !hasThread else { return entry }
        entry.time = nil
        entries.removeAll { $0 === entry }
        return nil
    }

    private func run() {
        keychain_name_thread(Self.threadName)
        while let (due, seconds) = next() {
            for entry in due {
                guard let seconds = entry.look() else { continue }
                lock.acquire()
                // It may be watched anew already.
                if entry.time == nil { entries.append(entry) }
                entry.time = min(entry.time ?? .infinity, Self.time(after: seconds))
                lock.release()
            }
            if due.isEmpty { _ = wake.wait(timeout: .now() + min(seconds, Self.longestWait)) }
        }
    }

    /// What to look at now, and in how many seconds there is more; `nil` when nothing is watched any more.
    private func next() -> (due: [Entry], seconds: Double)? {
        lock.acquire()
        defer { lock.release() }
        let now = Self.now
        let due = entries.filter { $0.time.map { $0 <= now } ?? true }
        entries.removeAll { $0.time.map { $0 <= now } ?? true }
        // Noted before the look, so that what is wanted during it is watched anew.
        for entry in due { entry.time = nil }
        guard !due.isEmpty || !entries.isEmpty else {
            hasThread = false
            return nil
        }
        let first = entries.compactMap(\.time).min() ?? .infinity
        return (due, max(0, first - now))
    }

    private static var now: Double {
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    private static func time(after seconds: Double) -> Double { now + min(max(seconds, 0.01), 24 * 3600) }
}
