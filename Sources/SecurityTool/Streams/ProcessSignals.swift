// SPDX-License-Identifier: Apache-2.0

import Glibc

/// What signals do to this process.
enum ProcessSignals {
    /// Makes a pipe that nobody reads an error of write(2) instead of a silent end, and lets the quit key quit.
    ///
    /// Swift's runtime may have taken SIGQUIT over to show a backtrace, for which it looks into the memory of the process
    /// and waits at the terminal.
    static func prepare() {
        signal(SIGPIPE, SIG_IGN)
        var action = sigaction()
        guard sigaction(SIGQUIT, nil, &action) == 0, action.sa_flags & SA_SIGINFO != 0 else { return }
        signal(SIGQUIT, SIG_DFL)
    }
}
