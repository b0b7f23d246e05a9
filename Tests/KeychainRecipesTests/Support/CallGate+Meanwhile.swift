// SPDX-License-Identifier: Apache-2.0

import KeychainTesting
import Testing

extension CallGate {
    /// Runs code as the app of the test, and lets somebody else act while its call is held.
    ///
    /// The code has a thread of its own, because a call that is held blocks it.
    ///
    /// - Parameters:
    ///   - body: what makes the call.
    ///   - others: what happens meanwhile.
    /// - Returns: What comes of the code.
    /// - Throws: What `others` throws, and when the test runs as no app.
    func outcome<Value: Sendable>(
        of body: @escaping @Sendable () throws -> Value,
        while others: () throws -> Void
    ) async throws -> Result<Value, any Error> {
        let app = try #require(App.current)
        async let outcome = app.runOnThread {
            // Whoever waits for a call that was never made waits no longer.
            defer { self.open() }
            return Result { try body() }
        }
        do {
            defer { open() }
            await waitForCall()
            #expect(fault.count == 1)
            try others()
        }
        return await outcome
    }
}
