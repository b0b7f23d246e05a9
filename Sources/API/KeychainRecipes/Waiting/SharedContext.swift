// SPDX-License-Identifier: Apache-2.0

import Keychain
import PortableLocalAuthentication

// A context may be used from any thread, and invalidated while an evaluation runs; Apple's header does not say so.

/// A context on its way to another thread.
struct SharedContext: @unchecked Sendable {
    let value: LAContext

    init(_ value: LAContext) { self.value = value }
}

/// Runs what may wait for a user or a disk on a thread that may block: none of Swift's pool.
///
/// - Parameter body: what may wait; the values of the task are visible in it.
/// - Returns: What `body` returns.
/// - Throws: What `body` throws.
func waiting<Value: Sendable, Failure: Error>(
    _ body: @escaping @Sendable () throws(Failure) -> Value
) async throws(Failure) -> Value {
    let outcome = await CallThread.run { () -> Result<Value, Failure> in
        do throws(Failure) { return .success(try body()) } catch { return .failure(error) }
    }
    return try outcome.get()
}
