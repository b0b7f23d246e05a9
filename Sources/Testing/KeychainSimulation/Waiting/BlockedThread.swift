// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import KeychainServices

/// A thread that a call blocks until the test releases it.
///
/// A call in a task blocks a thread of Swift's pool, which has about as many threads as there are processors. If all of
/// them are blocked, no thread is left for the code that would release them: the tests would wait forever.
enum BlockedThread {
    /// The number of blocked threads that may belong to Swift's pool.
    private static let countOnPool = Guarded(0)

    /// Called before the pool is checked, with what the caller waits for; for tests.
    static let poolObserver = Guarded<(@Sendable (DispatchSemaphore) -> Void)?>(nil)

    /// Blocks the caller until the semaphore is signalled, or the timeout.
    ///
    /// A caller that blocks the last thread of the pool is released after a while, and its test fails.
    ///
    /// - Parameters:
    ///   - signal: the semaphore.
    ///   - seconds: the timeout; `nil` for none.
    ///   - what: a description of the blocking operation, for the message.
    ///   - letGo: signals.
    static func wait(for signal: DispatchSemaphore, seconds: Double? = nil, _ what: String, letGo: () -> Void) {
        var mayBeOnPool = Self.mayBeOnPool
        if mayBeOnPool { countOnPool.withLock { $0 += 1 } }
        defer { if mayBeOnPool { countOnPool.withLock { $0 -= 1 } } }
        let patience = Standstill.patience.withLock(\.self)
        let end = seconds.map { DispatchTime.now() + $0 } ?? .distantFuture
        var isReported = false
        while signal.wait(timeout: min(end, .now() + patience)) == .timedOut, .now() < end {
            var isPoolBlocked = false
            if mayBeOnPool {
                poolObserver.withLock(\.self)?(signal)
                let hasAnswered = Guarded(false)
                Task.detached { hasAnswered.withLock { $0 = true } }
                // The signal may come while the pool is being checked.
                if signal.wait(timeout: min(end, .now() + min(patience, 5))) == .success { return }
                guard .now() < end else { return }
                isPoolBlocked = !hasAnswered.withLock(\.self)
            }
            if isPoolBlocked, leavePool() {
                mayBeOnPool = false
                TestingKit.reportFailure(reason(what))
                letGo()
            } else if !isReported {
                isReported = true
                let test = ProcessWideApp.testOfCaller.map { " of \($0)" } ?? ""
                Standstill.report("\(what)\(test) has waited for \(Int(patience)) s to be let go on by its test.")
            }
        }
    }

    /// Whether the caller may be on a thread of Swift's pool: it runs in a task, and not on a thread known to be
    /// outside the pool.
    ///
    /// A thread of a custom `TaskExecutor` cannot be distinguished, so the pool itself is checked as well.
    static var mayBeOnPool: Bool {
        !Thread.isMainThread && Thread.current.threadDictionary[callThreadMark] == nil
            && withUnsafeCurrentTask { $0 != nil }
    }

    /// Marks the threads on which the module Keychain waits (`CallThreads`), which is not imported here.
    private static let callThreadMark = "swift-keychain.call"

    /// How many threads the pool has.
    private static let width =
        getenv("LIBDISPATCH_COOPERATIVE_POOL_STRICT") == nil ? ProcessInfo.processInfo.activeProcessorCount : 1

    /// Removes the caller from the count if every thread of the pool is blocked.
    ///
    /// - Returns: Whether every thread was blocked; `false` for concurrent callers.
    private static func leavePool() -> Bool {
        countOnPool.withLock { count in
            guard count >= width else { return false }
            count -= 1
            return true
        }
    }

    private static func reason(_ what: String) -> String {
        """
        \(what) blocks the last thread of Swift's pool: none is left to run the code that lets it go on, here or in \
        another test, so it was let go on now. Make the call on a thread of its own: app.runOnThread { … }, \
        or the asynchronous functions of the module Keychain.
        """
    }
}
