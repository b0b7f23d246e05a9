// SPDX-License-Identifier: Apache-2.0

import Glibc

/// What an exit test does to itself before it plays its part.
package enum ChildProcess {
    /// The user and group "nobody", who owns nothing.
    private static let nobody: UInt32 = 65_534

    /// Gives up the rights of the superuser, for whom modes mean nothing.
    ///
    /// - Returns: Whether this is an ordinary user now.
    package static func becomeOrdinaryUser() -> Bool {
        if geteuid() != 0 { return true }
        return setgroups(0, nil) == 0 && setgid(nobody) == 0 && setuid(nobody) == 0 && geteuid() == nobody
    }

    /// Lets no file of this process grow beyond so many bytes.
    package static func limitFileSize(to byteCount: Int) -> Bool {
        signal(SIGXFSZ, SIG_IGN)
        var limit = rlimit(rlim_cur: rlim_t(byteCount), rlim_max: rlim_t.max)
        return setrlimit(__rlimit_resource_t(UInt32(RLIMIT_FSIZE.rawValue)), &limit) == 0
    }
}
