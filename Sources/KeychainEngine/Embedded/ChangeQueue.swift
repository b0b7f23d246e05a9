// SPDX-License-Identifier: Apache-2.0

import CKeychainSupport
import Dispatch
import KeychainCore

/// A change of items that waits to be made together with others.
final class QueuedChange: @unchecked Sendable {
    let request: KeychainRequest
    let authorization: Authorization

    /// What comes of it for the thread that waits.
    enum Outcome {
        /// This thread makes the next changes.
        case leads
        /// Another thread has made the change, or has found why it cannot be made.
        case ended(Result<KeychainAnswer, KeychainError>)
        /// The change was not made; this thread makes it by itself.
        case apart
    }

    // Written before the semaphore is signalled, by the one thread that took the change out of the queue.
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
    /// - Parameter milliseconds: for how long; `nil` for as long as it takes.
    /// - Returns: `nil` when the time is over.
    func wait(milliseconds: Int32?) -> Outcome? {
        guard let milliseconds else {
            woken.wait()
            return outcome
        }
        return woken.wait(timeout: .now() + .milliseconds(Int(milliseconds))) == .success ? outcome : nil
    }

    /// Waits for the next change to come; for the thread that leads.
    fileprivate func wait(forArrivalUntil time: DispatchTime) { _ = woken.wait(timeout: time) }

    fileprivate func noteArrival() { woken.signal() }

    /// Takes back the notice of an arrival that came when the time was over.
    fileprivate func forgetArrival() { while woken.wait(timeout: .now()) == .success {} }
}

/// The changes of items that wait to be made together, in the order in which they came, and who makes them.
///
/// One of the waiting threads leads: it makes its own change and those of all others that came, with one sync of the
/// log. All functions are called inside the fork gate, so that no child inherits the lock while it is taken.
final class ChangeQueue: @unchecked Sendable {
    // What follows is touched under the lock only.
    private let lock = ForkSafeLock()
    private var waiting: [QueuedChange] = []
    private var isLed = false
    /// Who leads, while it waits for the next change.
    private var waitingLeader: QueuedChange?
    /// How many changes the last group had, and how many had come by its end: as many are likely to come again.
    private var expectedCount = 1
    private var commitNanoseconds: UInt64 = 0
    private var forkGeneration = keychain_fork_generation()

    /// The most changes that are made together: what a thread waits for others at the most.
    static let mostTogether = 64

    /// Adds a change.
    ///
    /// - Returns: Whether its thread leads; otherwise it waits for the change's outcome.
    func add(_ change: QueuedChange) -> Bool {
        alone {
            guard isLed else {
                isLed = true
                return true
            }
            waiting.append(change)
            waitingLeader?.noteArrival()
            waitingLeader = nil
            return false
        }
    }

    /// Takes back a change whose time is over.
    ///
    /// - Returns: Whether nobody will look at it any more; `false` when a thread has taken it.
    func withdraw(_ change: QueuedChange) -> Bool {
        alone {
            guard let index = waiting.firstIndex(where: { $0 === change }) else { return false }
            waiting.remove(at: index)
            return true
        }
    }

    /// The next change that the leader makes, if there is one, or comes in time.
    ///
    /// - Parameters:
    ///   - leader: the change whose thread leads.
    ///   - count: how many changes it has taken. More than were expected are taken, but not waited for.
    ///   - end: until when the leader waits for those that are expected; `nil` before the first time, which sets it.
    /// - Returns: The change, which is in the queue no more.
    func next(for leader: QueuedChange, after count: Int, waitingUntil end: inout DispatchTime?) -> QueuedChange? {
        if count >= Self.mostTogether { return nil }
        let (change, longestPause) = alone { () -> (QueuedChange?, UInt64?) in
            if !waiting.isEmpty { return (waiting.removeFirst(), nil) }
            guard count < expectedCount else { return (nil, nil) }
            waitingLeader = leader
            return (nil, min(commitNanoseconds / 2, Self.mostPauseNanoseconds))
        }
        guard let longestPause else { return change }
        let time = end ?? .now() + .nanoseconds(Int(longestPause))
        end = time
        leader.wait(forArrivalUntil: time)
        return alone {
            waitingLeader = nil
            leader.forgetArrival()
            return waiting.isEmpty ? nil : waiting.removeFirst()
        }
    }

    /// A leader waits for less than half of what each sync costs that it spares, and for no longer than this.
    private static let mostPauseNanoseconds: UInt64 = 1_000_000

    /// Has the thread of the change that waits longest lead, or nobody.
    ///
    /// - Parameter count: how many changes were made together; `nil` when none was tried.
    func passOn(after count: Int?) {
        alone {
            if let count { expectedCount = min(count + waiting.count, Self.mostTogether) }
            isLed = !waiting.isEmpty
            if isLed { waiting.removeFirst().end(.leads) }
        }
    }

    /// Notes how long the end of a group took, most of which is the sync.
    func noteCommit(nanoseconds: UInt64) { alone { commitNanoseconds = nanoseconds } }

    /// How many changes wait, for tests.
    var count: Int { alone { waiting.count } }

    private func alone<Result>(_ body: () -> Result) -> Result {
        lock.acquire()
        defer { lock.release() }
        forgetParent()
        return body()
    }

    /// A child has none of the threads that waited; what they waited with is theirs.
    private func forgetParent() {
        guard forkGeneration != keychain_fork_generation() else { return }
        (waiting, isLed, waitingLeader, expectedCount) = ([], false, nil, 1)
        forkGeneration = keychain_fork_generation()
    }
}
