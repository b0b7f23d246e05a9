// SPDX-License-Identifier: Apache-2.0

import KeychainEngine

/// A value behind a lock that the thread sanitizer sees.
///
/// A `Mutex` of the standard library that two threads want at once is handed over by the kernel, where the sanitizer
/// does not look: it would report races of what the lock guards, in the tests of whoever uses the kit.
package final class Guarded<Value>: @unchecked Sendable {
    // Reached under the lock only.
    private var value: Value
    private let lock = ForkSafeLock()

    /// Guards a value that nobody else has.
    package init(_ value: sending Value) { self.value = value }

    /// Runs `body` on the value, in nobody's turn but its own.
    package func withLock<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        lock.acquire()
        defer { lock.release() }
        return try body(&value)
    }
}
