// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Synchronization

/// What has the run fail where no test can: after the last one, or where nobody knows whose call it was.
///
/// Such an issue may reach nobody: Swift Testing hands it to the runs under way, of which there may be none.
enum RunVerdict {
    private static let failures = Mutex(0)

    /// Has the process exit with status 1.
    static func fail() { failures.withLock { $0 += 1 } }

    /// Called when the process exits: exits with status 1 where the run has to fail.
    static func enforce() {
        let count = failures.withLock(\.self)
        guard count > 0 else { return }
        let calls = count == 1 ? "1 complaint" : "\(count) complaints"
        FileHandle.standardError.write(
            Data("error: the run fails by \(calls) above that no test could be failed by\n".utf8)
        )
        // Buffered output of the program, which _exit drops.
        fflush(nil)
        _exit(EXIT_FAILURE)
    }
}
