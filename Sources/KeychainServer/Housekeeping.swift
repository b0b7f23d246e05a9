// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization

/// When connections are to be looked after: at every tick while something is going on, else not at all.
final class Housekeeping: Sendable {
    private let tickMilliseconds: Int
    private let ticks = Atomic<UInt64>(1)
    private let isAsleep = Atomic<Bool>(false)
    private let wake = DispatchSemaphore(value: 0)

    init(_ options: ServerOptions) { tickMilliseconds = Int(max(1, options.tickMilliseconds)) }

    /// The number of the tick.
    var tick: UInt64 { ticks.load(ordering: .relaxed) }

    /// Notes that something is going on that may have to be looked after.
    func noteActivity() {
        guard isAsleep.load(ordering: .sequentiallyConsistent) else { return }
        interrupt()
    }

    /// Ends the waiting now.
    func interrupt() {
        isAsleep.store(false, ordering: .sequentiallyConsistent)
        wake.signal()
    }

    /// Waits for the next tick; where nothing is going on, until something is.
    ///
    /// - Parameter isQuiet: whether nothing is going on. It is asked again after others can see that it was.
    func wait(isQuiet: () -> Bool) {
        if isQuiet() {
            isAsleep.store(true, ordering: .sequentiallyConsistent)
            if isQuiet() { wake.wait() }
            isAsleep.store(false, ordering: .sequentiallyConsistent)
        }
        _ = wake.wait(timeout: .now() + .milliseconds(tickMilliseconds))
        ticks.add(1, ordering: .relaxed)
    }
}
