// SPDX-License-Identifier: Apache-2.0

import CKeychainSupport

/// Hardening of a whole process: for executables of this package only, never done by the library to its host.
public enum ProcessHardening {
    /// Keeps this process out of core dumps, and its memory from other programs of the same user.
    ///
    /// Sets `PR_SET_DUMPABLE` to 0 (prctl(2)). Call it first thing in `main`.
    ///
    /// - Returns: Whether it worked.
    @discardableResult
    public static func disableDumps() -> Bool { keychain_disable_dumps() == 0 }
}
