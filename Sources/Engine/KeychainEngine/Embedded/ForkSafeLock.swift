// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A lock that a forked child can go on using.
///
/// `Synchronization.Mutex` notes the number of its thread, which is another one in a child. A pthread mutex of the
/// normal kind does not, and what is taken inside the fork gate is held by nobody in a child that was not forked in the
/// midst of a call.
package final class ForkSafeLock: @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>

    /// A lock that nobody holds.
    package init() {
        mutex = .allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        pthread_mutex_init(mutex, nil)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    /// Waits until nobody holds the lock, and takes it.
    package func acquire() { pthread_mutex_lock(mutex) }

    /// Lets go of the lock.
    package func release() { pthread_mutex_unlock(mutex) }
}
