// SPDX-License-Identifier: Apache-2.0

extension KeychainProtocol {
    /// Runs calls that block the thread, in asynchronous code that means it.
    ///
    /// There, a call without `await` is refused by the compiler: it would block one of Swift's few threads for as long
    /// as a disk or a user takes. Where it takes neither, as with a keychain in memory, or in a test, say so:
    ///
    /// ```swift
    /// let text = try keychain.blocking { keychain in try keychain.string(for: login) }
    /// ```
    ///
    /// - Parameter body: makes the calls.
    /// - Returns: What `body` returns.
    /// - Throws: What `body` throws.
    public func blocking<Result, Failure: Error>(
        _ body: (any KeychainProtocol) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(self)
    }
}
