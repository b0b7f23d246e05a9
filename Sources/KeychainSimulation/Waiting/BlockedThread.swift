// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import KeychainServices

/// A thread that a call blocks until the test lets it go on.
///
/// A call in a task blocks a thread of Swift's pool, which has about as many as there are processors. When each of them
/// is blocked so, nothing is left to run what would let them go: the tests would wait for ever.
enum BlockedThread {
    /// How many threads are blocked that may be of Swift's pool.
    private static let countOnPool = Guarded(0)

    /// Called with what the caller waits for when the pool is about to be asked whether it is blocked, for tests.
    static let poolObserver = Guarded<(@Sendable (DispatchSemaphore) -> Void)?>(nil)

    /// Blocks the caller until it is signalled, or the seconds are over.
    ///
    /// One that blocks the last thread of the pool is let go after a while, and its test fails.
    ///
    /// - Parameters:
    ///   - signal: what ends it.
    ///   - seconds: how long it takes at most; `nil` for no end.
    ///   - what: what blocks the caller, for the message.
    ///   - letGo: signals.
    static func wait(for signal: DispatchSemaphore, seconds: Double? = nil, _ what: String, letGo: () -> Void) {
        var mayBeOnPool = Self.mayBeOnPool
        if mayBeOnPool { countOnPool.withLock { $0 += 1 } }
        defer { if mayBeOnPool { countOnPool.withLock { $0 -= 1 } } }
        let patience = Standstill.patience.withLock(\.self)
        let end = seconds.map { DispatchTime.now() + $0 } ?? .distantFuture
        var isTold = false
        while signal.wait(timeout: min(end, .now() + patience)) == .timedOut, .now() < end {
            var isPoolBlocked = false
            if mayBeOnPool {
                poolObserver.withLock(\.self)?(signal)
                let hasAnswered = Guarded(false)
                Task.detached { hasAnswered.withLock { $0 = true } }
                // What lets the caller go on may come while the pool is asked.
                if signal.wait(timeout: min(end, .now() + min(patience, 5))) == .success { return }
                guard .now() < end else { return }
                isPoolBlocked = !hasAnswered.withLock(\.self)
            }
            if isPoolBlocked, leavePool() {
                mayBeOnPool = false
                TestingKit.complain(reason(what))
                letGo()
            } else if !isTold {
                isTold = true
                let test = ProcessWideApp.testOfCaller.map { " of \($0)" } ?? ""
                Standstill.tell("\(what)\(test) has waited for \(Int(patience)) s to be let go on by its test.")
            }
        }
    }

    /// Whether the caller may block a thread of Swift's pool: it runs in a task, and on no thread that is known to be
    /// another.
    ///
    /// A thread of somebody's `TaskExecutor` cannot be told apart: the pool is asked before anything is concluded.
    static var mayBeOnPool: Bool {
        !Thread.isMainThread && Thread.current.threadDictionary[callThreadMark] == nil
            && withUnsafeCurrentTask { $0 != nil }
    }

    /// Marks the threads on which the module Keychain waits (`CallThreads`), which is not imported here.
    private static let callThreadMark = "swift-keychain.call"

    /// How many threads the pool has.
    private static let width =
        getenv("LIBDISPATCH_COOPERATIVE_POOL_STRICT") == nil ? ProcessInfo.processInfo.activeProcessorCount : 1

    /// Takes the caller out of the count when each thread of the pool is blocked.
    ///
    /// - Returns: Whether each was; `false` for others that ask at the same time.
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
