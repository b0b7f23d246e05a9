// SPDX-License-Identifier: Apache-2.0

import KeychainEngine

/// A value protected by a lock that the thread sanitizer supports.
///
/// The standard library's `Mutex` uses the kernel when it is contended, which the sanitizer does not see: it would
/// report false races in the tests of the kit's users.
package final class Guarded<Value>: @unchecked Sendable {
    // Accessed only while the lock is held.
    private var value: Value
    private let lock = ForkSafeLock()

    /// Protects a value that is not shared otherwise.
    package init(_ value: sending Value) { self.value = value }

    /// Runs `body` with exclusive access to the value.
    package func withLock<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        lock.acquire()
        defer { lock.release() }
        return try body(&value)
    }
}
