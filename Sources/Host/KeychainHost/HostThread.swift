// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Dedicated threads, for work that blocks: it must exhaust neither the thread pool of Swift concurrency nor that of
/// Dispatch.
package enum HostThread {
    /// Whether signals of the process may be delivered to a thread.
    package enum Signals: Sendable {
        /// As to the thread that starts it.
        case asHere
        /// None; they go to other threads.
        case blocked
    }

    /// Runs `body` on a new, detached thread.
    ///
    /// - Returns: Whether the thread was created; `false` if the process has reached its limit.
    package static func start(_ signals: Signals = .asHere, _ body: @escaping @Sendable () -> Void) -> Bool {
        let work = Unmanaged.passRetained(Work(body))
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        // A thread starts with the signal mask of its creator.
        var every = sigset_t()
        var before = sigset_t()
        sigfillset(&every)
        if signals == .blocked { pthread_sigmask(SIG_BLOCK, &every, &before) }
        defer { if signals == .blocked { pthread_sigmask(SIG_SETMASK, &before, nil) } }
        var thread = pthread_t()
        let error = pthread_create(
            &thread,
            &attributes,
            { work in
                if let work { Unmanaged<Work>.fromOpaque(work).takeRetainedValue().body() }
                return nil
            },
            work.toOpaque()
        )
        guard error == 0 else {
            work.release()
            return false
        }
        return true
    }

    private final class Work: Sendable {
        let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }
}
