// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A lock that a forked child can continue to use.
///
/// `Synchronization.Mutex` records its thread's number, which differs in a child. A normal pthread mutex does not, and
/// a lock that is acquired inside the fork gate is free in a child that was not forked during a call.
package final class ForkSafeLock: @unchecked Sendable {
    @usableFromInline
    let mutex: UnsafeMutablePointer<pthread_mutex_t>

    /// Creates an unlocked lock.
    package init() {
        mutex = .allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        pthread_mutex_init(mutex, nil)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    /// Waits until the lock is free, and acquires it.
    @inlinable
    package func acquire() { pthread_mutex_lock(mutex) }

    /// Lets go of the lock.
    @inlinable
    package func release() { pthread_mutex_unlock(mutex) }
}

/// A value behind a lock that a forked child can continue to use (``ForkSafeLock``).
package final class ForkSafe<Value>: @unchecked Sendable {
    // Touched only while the lock is held.
    @usableFromInline
    var value: Value
    @usableFromInline
    let lock = ForkSafeLock()

    /// Protects a value that is not shared otherwise.
    package init(_ value: sending Value) { self.value = value }

    /// Runs `body` with exclusive access to the value.
    @inlinable
    package func withLock<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        lock.acquire()
        defer { lock.release() }
        return try body(&value)
    }
}
