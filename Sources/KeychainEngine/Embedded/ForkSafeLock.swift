// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A lock that a forked child can go on using.
///
/// `Synchronization.Mutex` notes the number of its thread, which is another one in a child. A pthread mutex of the normal
/// kind does not, and the fork gate sees to it that none is held while a fork happens.
final class ForkSafeLock: @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>

    init() {
        mutex = .allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        pthread_mutex_init(mutex, nil)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    func acquire() { pthread_mutex_lock(mutex) }

    func release() { pthread_mutex_unlock(mutex) }
}
