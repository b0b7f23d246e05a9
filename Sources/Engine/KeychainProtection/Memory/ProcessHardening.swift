// SPDX-License-Identifier: Apache-2.0

import CKeychainSupport

/// Hardening of a whole process: for executables of this package only, never done by the library to its host.
package enum ProcessHardening {
    /// Keeps what is in this process's memory out of core dumps and crash reports, and from other programs of its user.
    ///
    /// Sets `PR_SET_DUMPABLE` to 0 (prctl(2)), and takes the handlers of Swift's runtime from the signals of a crash:
    /// its reports show the memory that registers point to. Call it first thing in `main`.
    ///
    /// - Returns: Whether it worked.
    @discardableResult
    package static func disableDumps() -> Bool {
        keychain_disable_crash_reports()
        return keychain_disable_dumps() == 0
    }
}
