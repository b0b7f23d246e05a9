// SPDX-License-Identifier: Apache-2.0

extension KeychainProtocol {
    /// Runs blocking calls in asynchronous code on purpose.
    ///
    /// There, the compiler rejects a call without `await`: it would block one of Swift's few threads while waiting for
    /// a disk or a user. If it waits for neither, as with a keychain in memory, or in a test, use this:
    ///
    /// ```swift
    /// let text = try keychain.blocking { keychain in try keychain.string(for: login) }
    /// ```
    ///
    /// - Parameter body: the code that makes the calls.
    /// - Returns: The result of `body`.
    /// - Throws: The errors of `body`.
    public func blocking<Result, Failure: Error>(
        _ body: (any KeychainProtocol) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(self)
    }
}
