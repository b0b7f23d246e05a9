// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The signals that ask the daemon to exit: handled one at a time, by the thread that waits for them.
struct Termination {
    private var signals = sigset_t()

    /// Blocks the signals, for the calling thread and all that it starts.
    init() {
        sigemptyset(&signals)
        for number in [SIGTERM, SIGINT, SIGHUP] { sigaddset(&signals, number) }
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        // Writing to a client that has disconnected is an error of the write.
        signal(SIGPIPE, SIG_IGN)
    }

    /// Waits for a signal, at most this long.
    ///
    /// - Returns: Its name; `nil` when the time is over.
    func wait(seconds: Int) -> String? {
        var signals = signals
        var time = timespec(tv_sec: seconds, tv_nsec: 0)
        switch sigtimedwait(&signals, nil, &time) {
        case SIGTERM: return "SIGTERM"
        case SIGINT: return "SIGINT"
        case SIGHUP: return "SIGHUP"
        default: return nil
        }
    }
}
