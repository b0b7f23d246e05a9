// SPDX-License-Identifier: Apache-2.0

import Dispatch
import KeychainHost
import Synchronization

/// Executes what connections have asked for, off the thread of the bus: for each connection in its order, and
/// for one process on few of the threads, so that what is slow for it delays no other.
///
/// A process that does not read what it has asked for has nothing more executed until it does.
final class ClientWork: Sendable {
    /// Something to do, which may block.
    typealias Job = @Sendable () -> Void

    private let maximum: (total: Int, ofProcess: Int)
    private let unreadLimits: (inTurn: Int, waiting: Int, ofAll: Int)
    private let state = Mutex(State())
    private let wake = DispatchSemaphore(value: 0)
    private let threads = DispatchGroup()

    /// Threads that stay while there is nothing to do.
    private static let minimum = 2

    private struct State {
        var queues: [UInt64: Queue] = [:]
        /// The connections with something to do, none of which is being done.
        var ready: [UInt64] = []
        var runningOf: [Int32: Int] = [:]
        /// The bytes of answers that processes may not have read yet.
        var unreadOf: [Int32: Int] = [:]
        /// The sum of them.
        var unreadOfAll = 0
        var threadCount = 0
        var idleCount = 0
        var isOver = false
    }

    /// What one connection has asked for.
    private struct Queue {
        let process: Int32
        var jobs: [Job] = []
        var done = 0

        var isEmpty: Bool { done == jobs.count }

        mutating func takeFirst() -> Job {
            defer { done += 1 }
            return jobs[done]
        }

        /// Forgets those that are done.
        mutating func tidy() {
            guard done > 64 || isEmpty else { return }
            jobs.removeFirst(done)
            done = 0
        }
    }

    /// No threads yet.
    init(of limits: SecretServiceLimits) {
        maximum = limits.threads
        unreadLimits = (limits.unreadBytes.inTurn, limits.unreadBytes.waiting, limits.unreadBytes.ofAll)
    }

    /// Adds something to do for a connection of a process, after what it has asked for before.
    func add(for connection: UInt64, of process: Int32, _ job: @escaping Job) {
        let isNew = state.withLock { state in
            guard !state.isOver else { return false }
            let isNew = state.queues[connection] == nil
            // In place: a copy for each of many jobs would take long.
            state.queues[connection, default: Queue(process: process)].jobs.append(job)
            if isNew { state.ready.append(connection) }
            return isNew
        }
        if isNew { wakeThread() }
    }

    /// Has one more thread look for something to do.
    private func wakeThread() {
        let needsThread = state.withLock { state in
            // A thread that was woken may be idle still.
            guard !state.isOver, state.ready.count > state.idleCount, state.threadCount < maximum.total else {
                return false
            }
            state.threadCount += 1
            return true
        }
        wake.signal()
        guard needsThread else { return }
        threads.enter()
        let isStarted = HostThread.start(.blocked) { [self] in
            run()
            threads.leave()
        }
        guard !isStarted else { return }
        state.withLock { $0.threadCount -= 1 }
        threads.leave()
    }

    /// Forgets what a connection has asked for, as far as it was not begun; nothing more is added for it.
    func forget(_ connection: UInt64) {
        // What belongs to it goes outside of the lock.
        _ = state.withLock { state in
            state.ready.removeAll { $0 == connection }
            return state.queues.removeValue(forKey: connection)
        }
    }

    /// Forgets what was not begun, and waits for the rest; nothing more is added.
    func stop() {
        let count = state.withLock { state in
            state.isOver = true
            state.queues = [:]
            state.ready = []
            return state.threadCount
        }
        for _ in 0..<count { wake.signal() }
        threads.wait()
    }

    // MARK: - Unread answers

    /// So many bytes of an answer pass when others have reached the limit.
    private static let smallAnswer = 64 << 10

    /// Counts bytes of an answer that a process has not read yet; those of an unknown process, 0, are not.
    ///
    /// - Returns: Whether all processes together may have so much; a small answer may be had nevertheless. Otherwise
    ///   nothing is counted.
    func addUnread(_ byteCount: Int, of process: Int32) -> Bool {
        guard process != 0 else { return true }
        return state.withLock { state in
            guard byteCount <= Self.smallAnswer || state.unreadOfAll + byteCount <= unreadLimits.ofAll else {
                return false
            }
            state.unreadOf[process, default: 0] += byteCount
            state.unreadOfAll += byteCount
            return true
        }
    }

    /// Counts bytes of an answer that was sent.
    func addUnread(sent byteCount: Int, of process: Int32) {
        guard process != 0 else { return }
        state.withLock { state in
            state.unreadOf[process, default: 0] += byteCount
            state.unreadOfAll += byteCount
        }
    }

    /// Counts them no more.
    func removeUnread(_ byteCount: Int, of process: Int32) {
        guard process != 0 else { return }
        let more = state.withLock { state in
            let (before, wereTooMany) = (mostThreads(for: process, state), areTooMany(state))
            let left = state.unreadOf[process, default: 0] - byteCount
            state.unreadOf[process] = left > 0 ? left : nil
            state.unreadOfAll -= byteCount
            // Everybody was waiting.
            guard !wereTooMany || areTooMany(state) else { return min(maximum.total, state.ready.count) }
            guard mostThreads(for: process, state) > before else { return 0 }
            return min(maximum.ofProcess, state.ready.count { state.queues[$0]?.process == process })
        }
        for _ in 0..<more { wakeThread() }
    }

    /// How many bytes of answers a process may not have read yet.
    func unread(by process: Int32) -> Int { state.withLock { $0.unreadOf[process, default: 0] } }

    /// On how many threads its commands may be executed at once.
    private func mostThreads(for process: Int32, _ state: State) -> Int {
        let unread = state.unreadOf[process, default: 0]
        guard !areTooMany(state) else { return unread > 0 ? 0 : 1 }
        guard unread > unreadLimits.inTurn else { return maximum.ofProcess }
        return unread > unreadLimits.waiting ? 0 : 1
    }

    private func areTooMany(_ state: State) -> Bool { state.unreadOfAll > unreadLimits.ofAll }

    // MARK: - Threads

    private func run() {
        while true {
            while let (connection, process, job) = next() {
                job()
                end(connection, of: process)
            }
            let goes = state.withLock { state in
                guard !state.isOver, state.threadCount <= Self.minimum else {
                    state.threadCount -= 1
                    return true
                }
                state.idleCount += 1
                return false
            }
            guard !goes else { return }
            wake.wait()
            state.withLock { $0.idleCount -= 1 }
        }
    }

    private func next() -> (UInt64, Int32, Job)? {
        state.withLock { state in
            let index = state.ready.firstIndex { connection in
                guard let process = state.queues[connection]?.process else { return false }
                return state.runningOf[process, default: 0] < mostThreads(for: process, state)
            }
            guard let index else { return nil }
            let connection = state.ready.remove(at: index)
            guard var queue = state.queues.removeValue(forKey: connection) else { return nil }
            let job = queue.takeFirst()
            state.queues[connection] = queue
            state.runningOf[queue.process, default: 0] += 1
            return (connection, queue.process, job)
        }
    }

    private func end(_ connection: UInt64, of process: Int32) {
        state.withLock { state in
            let left = state.runningOf[process, default: 1] - 1
            state.runningOf[process] = left == 0 ? nil : left
            guard var queue = state.queues.removeValue(forKey: connection) else { return }
            queue.tidy()
            guard !queue.isEmpty else { return }
            state.queues[connection] = queue
            state.ready.append(connection)
        }
    }
}
