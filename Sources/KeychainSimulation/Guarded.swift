// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A value behind a lock that the thread sanitizer sees.
///
/// A `Mutex` of the standard library that two threads want at once is handed over by the kernel, where the sanitizer does not look:
/// it would report races of what the lock guards, in the tests of whoever uses the kit.
final class Guarded<Value>: @unchecked Sendable {
    // Reached under the lock only.
    private var value: Value
    private let lock: UnsafeMutablePointer<pthread_mutex_t>

    init(_ value: sending Value) {
        self.value = value
        lock = .allocate(capacity: 1)
        lock.initialize(to: pthread_mutex_t())
        pthread_mutex_init(lock, nil)
    }

    deinit {
        pthread_mutex_destroy(lock)
        lock.deallocate()
    }

    /// Runs `body` on the value, in nobody's turn but its own.
    func withLock<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        pthread_mutex_lock(lock)
        defer { pthread_mutex_unlock(lock) }
        return try body(&value)
    }
}
