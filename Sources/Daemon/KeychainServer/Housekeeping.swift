// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization

/// When connections are checked: at every tick while anything is in progress, otherwise not at all.
final class Housekeeping: Sendable {
    private let tickMilliseconds: Int
    private let ticks = Atomic<UInt64>(1)
    private let isAsleep = Atomic<Bool>(false)
    private let wake = DispatchSemaphore(value: 0)

    init(_ options: ServerOptions) { tickMilliseconds = Int(max(1, options.tickMilliseconds)) }

    /// The number of the tick.
    var tick: UInt64 { ticks.load(ordering: .relaxed) }

    /// Records activity that may need checks.
    func noteActivity() {
        guard isAsleep.load(ordering: .sequentiallyConsistent) else { return }
        interrupt()
    }

    /// Ends the waiting now.
    func interrupt() {
        isAsleep.store(false, ordering: .sequentiallyConsistent)
        wake.signal()
    }

    /// Waits for the next tick, or, while nothing is in progress, for activity.
    ///
    /// - Parameters:
    ///   - longest: the maximum wait in milliseconds; `nil` for no limit.
    ///   - isOver: whether to return without waiting for the tick after activity.
    ///   - isQuiet: whether nothing is in progress. It is called again once other threads can see the wait.
    func wait(atMost longest: Int32? = nil, isOver: () -> Bool, isQuiet: () -> Bool) {
        if isQuiet() {
            isAsleep.store(true, ordering: .sequentiallyConsistent)
            if isQuiet() { _ = wake.wait(timeout: longest.map { .now() + .milliseconds(Int($0)) } ?? .distantFuture) }
            isAsleep.store(false, ordering: .sequentiallyConsistent)
            if isOver() { return }
        }
        _ = wake.wait(timeout: .now() + .milliseconds(tickMilliseconds))
        ticks.add(1, ordering: .relaxed)
    }
}
