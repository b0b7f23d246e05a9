// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainHost
import Synchronization

/// A clock of timeouts that stands still until a test advances it.
package final class ManualClock: Sendable {
    /// The same for the options of a server or of a client.
    package let timeouts: TimeoutClock

    private let time: Time

    private final class Time: Sendable {
        let state = Mutex<(nanoseconds: Int64, runsSince: Int64?)>((0, nil))

        var now: Int64 {
            state.withLock { state in
                state.nanoseconds + (state.runsSince.map { TimeoutClock.system.now - $0 } ?? 0)
            }
        }
    }

    /// A clock.
    package init() {
        let time = Time()
        self.time = time
        timeouts = TimeoutClock { time.now }
    }

    /// Its time.
    package var milliseconds: Int64 { time.now / 1_000_000 }

    /// Lets time pass.
    package func advance(milliseconds: Int64) { time.state.withLock { $0.nanoseconds += milliseconds * 1_000_000 } }

    /// Lets a second pass again and again while something is done: whoever begins to wait meanwhile has waited long
    /// enough soon.
    package func advancingContinuously<Result>(_ body: () throws -> Result) rethrows -> Result {
        let (over, ended) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        Thread.detachNewThread { [self] in
            repeat { advance(milliseconds: 1_000) } while over.wait(timeout: .now() + .milliseconds(2)) == .timedOut
            ended.signal()
        }
        defer {
            over.signal()
            ended.wait()
        }
        return try body()
    }

    /// Has it go on by itself from now on, like that of the system.
    package func run() {
        time.state.withLock { state in
            if state.runsSince == nil { state.runsSince = TimeoutClock.system.now }
        }
    }
}
