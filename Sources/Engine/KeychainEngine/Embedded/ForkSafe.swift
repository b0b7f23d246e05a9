// SPDX-License-Identifier: Apache-2.0

/// A value behind a lock that a forked child can continue to use (``ForkSafeLock``).
package final class ForkSafe<Value>: @unchecked Sendable {
    // Touched only while the lock is held.
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
