// SPDX-License-Identifier: Apache-2.0

/// Where calls wait.
package enum CallThread {
    /// Carries out what may wait, and does not block the caller's thread meanwhile; the values of the task are in sight.
    package static func run<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
        if #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) {
            return await withTaskExecutorPreference(CallExecutor.shared) { await here(body) }
        }
        // Values of the task are out of sight there; only Apple's older systems come here, where nothing depends on them.
        return await withCheckedContinuation { continuation in
            CallThreads.shared.run { continuation.resume(returning: body()) }
        }
    }

    /// Bound to no actor, so that it runs where the task prefers to.
    private static func here<Result: Sendable>(_ body: @Sendable () -> Result) async -> Result { body() }
}
