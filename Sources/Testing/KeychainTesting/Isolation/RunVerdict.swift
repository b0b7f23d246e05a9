// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Synchronization

/// Makes the run fail if no test can: after the last test, or if the test that made a call is unknown.
///
/// Swift Testing reports such an issue to the runs in progress, and there may be none.
enum RunVerdict {
    private static let failures = Mutex(0)

    /// Makes the process exit with status 1.
    static func fail() { failures.withLock { $0 += 1 } }

    /// Called when the process exits: exits with status 1 if the run has to fail.
    static func enforce() {
        let count = failures.withLock(\.self)
        guard count > 0 else { return }
        let calls = count == 1 ? "1 complaint" : "\(count) complaints"
        FileHandle.standardError.write(
            Data("error: the run fails by \(calls) above that no test could be failed by\n".utf8)
        )
        // Writes buffered output, which _exit would discard.
        fflush(nil)
        _exit(EXIT_FAILURE)
    }
}
