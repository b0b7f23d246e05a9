// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainSimulation
import Testing

/// What the kit needs to know of tests before the first one runs.
enum KitStart {
    /// Done once in a process.
    static let once: Void = {
        RunningTestCase.observe()
        // While no other thread can unload what it looks into.
        _ = CallStack.images
        ProcessWideApp.callingTest.withLock { $0 = { Test.current.map { String(describing: $0.id) } } }
        ProcessWideApp.namedTest.withLock {
            $0 = { RunningTest.origin(of: CallStack.capture().functions).map { String(describing: $0.id) } }
        }
        atexit {
            // A line that is still looked up when the tests are over.
            CallLocationLookup.shared.waitUntilIdle(seconds: 60)
            RunVerdict.enforce()
        }
    }()
}

/// Called before the program's main function: XCTest tells nobody which test runs who did not ask before.
@section(".init_array") @used
private let start: @convention(c) () -> Void = { KitStart.once }
