// SPDX-License-Identifier: Apache-2.0

import Dispatch
import KeychainHost
import Synchronization

/// The threads that wait for messages, and execute them.
///
/// There are two while nothing blocks. A thread that starts work that may block starts another one if none is waiting;
/// surplus threads end.
final class Workers: Sendable {
    private let maximum: Int
    private let state = Mutex(State())
    private let ended = DispatchSemaphore(value: 0)

    private struct State {
        var threads = 0
        var busy = 0
        var isOver = false
    }

    /// The number of threads while nothing blocks.
    static let minimum = 2

    init(atMost maximum: Int) { self.maximum = max(Self.minimum, maximum) }

    /// The body of a thread: returns once all threads have to end, or it has left (``leaveIfIdle()``).
    typealias Work = @Sendable () -> Void

    /// Starts the first threads.
    func start(_ work: @escaping Work) {
        for _ in 0..<Self.minimum { startOne(work) }
    }

    /// Notes that the calling thread begins work that may block.
    func begin(_ work: @escaping Work) {
        let isShort = state.withLock { state in
            state.busy += 1
            return state.busy >= state.threads && state.threads < maximum && !state.isOver
        }
        if isShort { startOne(work) }
    }

    /// Starts a thread that begins with work that may block, unless there are too many.
    ///
    /// - Returns: Whether it was started.
    @discardableResult
    func startBusy(_ first: @escaping Work, then work: @escaping Work) -> Bool {
        let isAllowed = state.withLock { state in
            guard state.threads < maximum, !state.isOver else { return false }
            state.busy += 1
            return true
        }
        guard isAllowed else { return false }
        let isStarted = startOne { [self] in
            first()
            end()
            work()
        }
        if !isStarted { end() }
        return isStarted
    }

    /// Notes that it has ended.
    func end() { state.withLock { $0.busy -= 1 } }

    /// How many threads do work that may block.
    var busyCount: Int { state.withLock(\.busy) }

    /// Removes the calling thread, which has been idle, if it is surplus: it ends then.
    func leaveIfIdle() -> Bool {
        state.withLock { state in
            guard state.threads - state.busy > Self.minimum else { return false }
            state.threads -= 1
            return true
        }
    }

    /// Removes the calling thread, because all threads have to end.
    func leave() {
        state.withLock { $0.threads -= 1 }
        ended.signal()
    }

    /// Waits until the threads have ended, for as long as a deadline allows; no more are started.
    func finish(_ deadline: Deadline) {
        state.withLock { $0.isOver = true }
        while state.withLock({ $0.threads > 0 }) {
            guard ended.wait(until: deadline) == .success else { return }
        }
    }

    @discardableResult
    private func startOne(_ work: @escaping Work) -> Bool {
        state.withLock { $0.threads += 1 }
        if HostThread.start(.blocked, work) { return true }
        state.withLock { $0.threads -= 1 }
        return false
    }
}
