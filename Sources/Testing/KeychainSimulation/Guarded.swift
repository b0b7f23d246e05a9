// SPDX-License-Identifier: Apache-2.0

import KeychainHost

/// A value protected by a lock that the thread sanitizer supports.
///
/// The standard library's `Mutex` uses the kernel when it is contended, which the sanitizer does not see: it would
/// report false races in the tests of the kit's users.
package final class Guarded<Value>: Sendable {
    private let value: ForkSafe<Value>

    /// Protects a value that is not shared otherwise.
    package init(_ value: sending Value) { self.value = ForkSafe(value) }

    /// Runs `body` with exclusive access to the value.
    package func withLock<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try value.withLock(body)
    }
}
