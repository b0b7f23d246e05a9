// SPDX-License-Identifier: Apache-2.0

import CKeychainSupport

/// Hardening of a whole process: for executables of this package only, never done by the library to its host.
package enum ProcessHardening {
    /// Protects this process's memory from core dumps, crash reports, and other programs of its user.
    ///
    /// It sets `PR_SET_DUMPABLE` to 0 (prctl(2)), and removes the Swift runtime's handlers for crash signals: its
    /// reports show the memory that registers point to. Call it first in `main`.
    ///
    /// - Returns: Whether it succeeded.
    @discardableResult
    package static func disableDumps() -> Bool {
        keychain_disable_crash_reports()
        return keychain_disable_dumps() == 0
    }
}
