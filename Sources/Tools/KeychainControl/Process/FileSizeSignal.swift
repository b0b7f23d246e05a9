// SPDX-License-Identifier: Apache-2.0

import CKeychainSupport
import Glibc
import Synchronization

/// SIGXFSZ, which ends a program that writes beyond the limit of a file's size (RLIMIT_FSIZE, setrlimit(2)).
enum FileSizeSignal {
    private static let wasDefault = Atomic(false)

    /// Makes such a write an error of write(2), as on a full disk, from now on.
    static func ignore() {
        var before = sigaction()
        sigaction(SIGXFSZ, nil, &before)
        if before.__sigaction_handler.sa_handler == nil { wasDefault.store(true, ordering: .relaxed) }
        signal(SIGXFSZ, SIG_IGN)
    }

    /// Gives it the handling that it had, for the program that this one becomes.
    static func restore() {
        if wasDefault.load(ordering: .relaxed) { signal(SIGXFSZ, SIG_DFL) }
    }

    /// The signals for which a program that is started gets the default handling, as this one had.
    static var restored: sigset_t {
        var signals = sigset_t()
        sigemptyset(&signals)
        if wasDefault.load(ordering: .relaxed) { sigaddset(&signals, SIGXFSZ) }
        return signals
    }
}
