// SPDX-License-Identifier: Apache-2.0

/// Checks for idleness after a while, by the one ``IdlenessTimer`` of the process.
final class IdlenessWatch: Sendable {
    private let watched = ForkSafe<(entry: IdlenessTimer.Entry, timer: IdlenessTimer)?>(nil)

    /// Begins to watch, unless it is looked soon enough already.
    func start(after seconds: Double, _ look: @escaping @Sendable () -> Double?) {
        let timer = IdlenessTimer.ofThisProcess
        watched.withLock { watched in
            // That of the process which this one was forked from is of no use here.
            let known = watched.flatMap { $0.timer === timer ? $0.entry : nil }
            watched = timer.watch(known, after: seconds, look).map { ($0, timer) }
        }
    }
}
