// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainSimulation
import Testing

/// Information about tests that the kit needs before the first one runs.
enum KitStart {
    /// Done once per process.
    static let once: Void = {
        RunningTestCase.observe()
        // Early, while no other thread can unload a library.
        _ = CallStack.images
        ProcessWideApp.callingTest.withLock {
            $0 = {
                Test.current.map { test in
                    RunningTest.recordHolder(test)
                    return String(describing: test.id)
                }
            }
        }
        ProcessWideApp.namedTest.withLock {
            $0 = {
                RunningTest.origin(of: CallStack.capture().functions).map { origin in
                    origin.test.map { String(describing: $0.id) } ?? origin.name
                }
            }
        }
        atexit {
            // Lines may still be looked up when the tests end; after this time complaints are reported without them.
            CallLocationLookup.shared.finish(seconds: 60)
            RunVerdict.enforce()
        }
    }()
}

/// Called before the program's main function, because XCTest notifies only observers that are registered before a test
/// starts.
@section(".init_array") @used
private let start: @convention(c) () -> Void = { KitStart.once }
