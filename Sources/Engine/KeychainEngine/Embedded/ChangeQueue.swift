// SPDX-License-Identifier: Apache-2.0

import CKeychainSupport
import Dispatch
import KeychainCore
import KeychainHost

/// A change of items that waits for a group commit.
final class QueuedChange: @unchecked Sendable {
    let request: KeychainRequest
    let authorization: Authorization

    /// The signal to the waiting thread.
    enum Outcome {
        /// This thread becomes the leader, and makes the next group of changes.
        case leads
        /// Another thread made the change, or its attempt failed with this error.
        case ended(Result<KeychainAnswer, KeychainError>)
        /// The change was not made; this thread makes it in a transaction of its own.
        case apart
    }

    // Written before the semaphore is signalled, by the one thread that removed the change from the queue.
    private var outcome: Outcome?
    private let woken = DispatchSemaphore(value: 0)

    init(_ request: KeychainRequest, _ authorization: Authorization) {
        self.request = request
        self.authorization = authorization
    }

    /// Wakes the thread that waits.
    func end(_ outcome: Outcome) {
        self.outcome = outcome
        woken.signal()
    }

    /// Waits until ``end(_:)``.
    ///
    /// - Parameter milliseconds: the timeout; `nil` for none.
    /// - Returns: The outcome; `nil` after the timeout.
    func wait(milliseconds: Int32?) -> Outcome? {
        guard let milliseconds else {
            woken.wait()
            return outcome
        }
        return woken.wait(timeout: .now() + .milliseconds(Int(milliseconds))) == .success ? outcome : nil
    }

    /// Waits for the next change to arrive; called by the leader.
    fileprivate func wait(forArrivalUntil time: DispatchTime) { _ = woken.wait(timeout: time) }

    fileprivate func signalArrival() { woken.signal() }

    /// Discards the signal of a change that arrived after the timeout.
    fileprivate func discardArrival() { while woken.wait(timeout: .now()) == .success {} }
}

/// The changes of items that wait for a group commit, in the order of their arrival, and which thread leads.
///
/// One of the waiting threads is the leader: it makes its own change and those that arrived meanwhile, with one sync of
/// the log. All functions are called inside the fork gate, so that no child process inherits the lock while it is held.
final class ChangeQueue: @unchecked Sendable {
    // The following properties are accessed only while the lock is held.
    private let lock = ForkSafeLock()
    private var waiting: [QueuedChange] = []
    private var isLed = false
    /// The leader, while it waits for the next change.
    private var waitingLeader: QueuedChange?
    /// The size of the last group plus the changes that arrived before it ended: as many are likely to arrive again.
    private var expectedCount = 1
    /// About the shortest time that a commit took lately: longer ones wrote the log back, or waited for the disk.
    private(set) var commitNanoseconds: UInt64 = 0
    private var forkGeneration = keychain_fork_generation()

    /// The maximum size of a group, which limits how long a thread waits for the changes of others.
    static let maximumGroupSize = 64

    /// Adds a change.
    ///
    /// - Returns: Whether its thread is the leader; otherwise the thread waits for the change's outcome.
    func add(_ change: QueuedChange) -> Bool {
        withExclusiveAccess {
            guard isLed else {
                isLed = true
                return true
            }
            waiting.append(change)
            waitingLeader?.signalArrival()
            waitingLeader = nil
            return false
        }
    }

    /// Removes a change whose timeout has passed.
    ///
    /// - Returns: Whether it was removed; `false` when a leader has already taken it.
    func withdraw(_ change: QueuedChange) -> Bool {
        withExclusiveAccess {
            guard let index = waiting.firstIndex(where: { $0 === change }) else { return false }
            waiting.remove(at: index)
            return true
        }
    }

    /// The next change for the leader to make: one that waits, or one that arrives in time.
    ///
    /// - Parameters:
    ///   - leader: the change of the leader's thread.
    ///   - count: how many changes it has taken. It takes more than were expected, but waits only for those.
    ///   - end: when the leader stops waiting for the expected changes; `nil` before the first wait, which sets it.
    /// - Returns: The change, removed from the queue; `nil` when the group is complete.
    func next(for leader: QueuedChange, after count: Int, waitingUntil end: inout DispatchTime?) -> QueuedChange? {
        if count >= Self.maximumGroupSize { return nil }
        let (change, longestPause) = withExclusiveAccess { () -> (QueuedChange?, UInt64?) in
            if !waiting.isEmpty { return (waiting.removeFirst(), nil) }
            guard count < expectedCount else { return (nil, nil) }
            waitingLeader = leader
            return (nil, min(commitNanoseconds / 2, Self.maximumPauseNanoseconds))
        }
        guard let longestPause else { return change }
        let time = end ?? .now() + .nanoseconds(Int(longestPause))
        end = time
        leader.wait(forArrivalUntil: time)
        return withExclusiveAccess {
            waitingLeader = nil
            leader.discardArrival()
            return waiting.isEmpty ? nil : waiting.removeFirst()
        }
    }

    /// The longest that a leader waits.
    ///
    /// It also never waits longer than half of the commit that waiting can save.
    private static let maximumPauseNanoseconds: UInt64 = 1_000_000

    /// Makes the thread of the oldest waiting change the leader, if there is one.
    ///
    /// - Parameter count: the size of the last group; `nil` when no change was attempted.
    func electNextLeader(after count: Int?) {
        withExclusiveAccess {
            if let count { expectedCount = min(count + waiting.count, Self.maximumGroupSize) }
            isLed = !waiting.isEmpty
            if isLed { waiting.removeFirst().end(.leads) }
        }
    }

    /// Records how long the commit of a group took.
    ///
    /// The shortest time counts, and is raised by an eighth with each commit, so that it is forgotten.
    func recordCommit(nanoseconds: UInt64) {
        withExclusiveAccess {
            let longest = commitNanoseconds == 0 ? nanoseconds : commitNanoseconds + max(1, commitNanoseconds / 8)
            commitNanoseconds = min(nanoseconds, longest)
        }
    }

    /// The number of waiting changes, for tests.
    var count: Int { withExclusiveAccess { waiting.count } }

    private func withExclusiveAccess<Result>(_ body: () -> Result) -> Result {
        lock.acquire()
        defer { lock.release() }
        forgetParent()
        return body()
    }

    /// Forgets what a forked child inherited: it has none of the threads that waited in its parent.
    private func forgetParent() {
        guard forkGeneration != keychain_fork_generation() else { return }
        (waiting, isLed, waitingLeader, expectedCount) = ([], false, nil, 1)
        forkGeneration = keychain_fork_generation()
    }
}
