// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The threads on which calls wait.
package enum CallThread {
    /// Runs a call that may wait, without blocking the caller's thread; the task-local values are visible.
    package static func run<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
        if #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) {
            return await withTaskExecutorPreference(CallExecutor.shared) { await here(body) }
        }
        // Task-local values are not visible there; only Apple's older systems use this path, where nothing depends on
        // them.
        return await withCheckedContinuation { continuation in
            CallThreads.shared.run { continuation.resume(returning: body()) }
        }
    }

    /// Not isolated to an actor, so that it runs where the task prefers to.
    private static func here<Result: Sendable>(_ body: @Sendable () -> Result) async -> Result { body() }
}

/// Runs the part of a task that waits on a thread of its own; the task's values stay visible.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
final class CallExecutor: TaskExecutor {
    static let shared = CallExecutor()

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let executor = asUnownedTaskExecutor()
        CallThreads.shared.run { job.runSynchronously(on: executor) }
    }
}

/// Threads for calls that may wait for a user or a disk, so that no thread of Swift's pool does.
///
/// One for each call, up to a limit; idle threads are kept for a while.
final class CallThreads: Sendable {
    static let shared = CallThreads()

    // Guarded by the condition.
    private final class State: @unchecked Sendable {
        let condition = NSCondition()
        var jobs: [@Sendable () -> Void] = []
        var idle = 0
        var count = 0
    }

    private let state = State()
    private static let maximum = 64
    private static let patience: TimeInterval = 5

    func run(_ job: @escaping @Sendable () -> Void) {
        state.condition.lock()
        defer { state.condition.unlock() }
        state.jobs.append(job)
        if state.idle >= state.jobs.count || state.count == Self.maximum { return state.condition.signal() }
        state.count += 1
        let thread = Thread { [state] in Self.work(state) }
        thread.start()
    }

    /// Whether the caller runs on one of them.
    static var isCurrent: Bool { Thread.current.threadDictionary[mark] != nil }

    private static let mark = "swift-keychain.call"

    private static func work(_ state: State) {
        Thread.current.threadDictionary[mark] = true
        state.condition.lock()
        defer { state.condition.unlock() }
        while true {
            if state.jobs.isEmpty {
                state.idle += 1
                let isWoken = state.condition.wait(until: Date(timeIntervalSinceNow: patience))
                state.idle -= 1
                if state.jobs.isEmpty {
                    if isWoken { continue }
                    state.count -= 1
                    return
                }
            }
            let job = state.jobs.removeFirst()
            state.condition.unlock()
            job()
            state.condition.lock()
        }
    }
}
