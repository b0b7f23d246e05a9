// SPDX-License-Identifier: Apache-2.0

import Dispatch
import KeychainHost
import Synchronization

/// When connections are checked: at every tick while anything is in progress, otherwise not at all.
final class Housekeeping: Sendable {
    private let options: ServerOptions
    private let tickMilliseconds: Int32
    private let ticks = Atomic<UInt64>(1)
    private let isAsleep = Atomic<Bool>(false)
    private let wake = DispatchSemaphore(value: 0)

    init(_ options: ServerOptions) {
        self.options = options
        tickMilliseconds = max(1, options.tickMilliseconds)
    }

    /// The number of the tick.
    var tick: UInt64 { ticks.load(ordering: .relaxed) }

    /// Records activity that may need checks.
    func recordActivity() {
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
    /// The clock of a test may stand still, and is read again after a few milliseconds instead.
    ///
    /// - Parameters:
    ///   - longest: the maximum wait in milliseconds; `nil` for no limit.
    ///   - isOver: whether to return without waiting for the tick after activity.
    ///   - isQuiet: whether nothing is in progress. It is called again once other threads can see the wait.
    func wait(atMost longest: Int32? = nil, isOver: () -> Bool, isQuiet: () -> Bool) {
        if isQuiet() {
            isAsleep.store(true, ordering: .sequentiallyConsistent)
            if isQuiet() { waitForActivity(atMost: longest) }
            isAsleep.store(false, ordering: .sequentiallyConsistent)
            if isOver() { return }
        }
        let milliseconds = Int(options.deadline(milliseconds: tickMilliseconds).waitMilliseconds)
        _ = wake.wait(timeout: .now() + .milliseconds(milliseconds))
        if options.clock.isOfSystem {
            // One, also after a time without a processor: in that, nothing of what programs sent was read.
            ticks.add(1, ordering: .relaxed)
        } else {
            ticks.store(1 + UInt64(options.clock.now / (Int64(tickMilliseconds) * 1_000_000)), ordering: .relaxed)
        }
    }

    private func waitForActivity(atMost longest: Int32?) {
        guard let longest else { return wake.wait() }
        _ = wake.wait(until: options.deadline(milliseconds: longest))
    }
}
