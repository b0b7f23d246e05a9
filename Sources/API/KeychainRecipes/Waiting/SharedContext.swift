// SPDX-License-Identifier: Apache-2.0

import Keychain
import PortableLocalAuthentication

// A context may be used from any thread, and invalidated during an evaluation; Apple's header does not declare that.

/// A context on its way to another thread.
struct SharedContext: @unchecked Sendable {
    let value: LAContext

    init(_ value: LAContext) { self.value = value }
}

/// Runs a call that may wait for a user or a disk on a thread that may block, outside Swift's pool.
///
/// - Parameter body: the call that may wait; the task-local values are visible in it.
/// - Returns: The result of `body`.
/// - Throws: The errors of `body`.
func waiting<Value: Sendable, Failure: Error>(
    _ body: @escaping @Sendable () throws(Failure) -> Value
) async throws(Failure) -> Value {
    let outcome = await CallThread.run { () -> Result<Value, Failure> in
        do throws(Failure) { return .success(try body()) } catch { return .failure(error) }
    }
    return try outcome.get()
}
