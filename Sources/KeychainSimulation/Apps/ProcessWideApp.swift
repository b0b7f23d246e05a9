// SPDX-License-Identifier: Apache-2.0

import KeychainServices
import Synchronization

/// The app that code without any other runs as, wherever in the process: for code that cannot be reached by ``App/run(_:)``,
/// a bound queue or a carried closure, such as a thread of a library.
///
/// There is one at a time. Two tests that want one take turns, in the order in which they came, when both use `with(_:_:)`
/// or the trait `.keychain(processWide: true)`; all other tests go on beside them, because an app of a task or a queue counts
/// before that of the process. A test that uses ``set(_:)`` instead, in `setUp()`, does not wait: it takes the turn until
/// ``unset()``, and fails where another test is in the midst of `with(_:_:)`.
public enum ProcessWideApp {
    private static let turns = Mutex(ProcessWideTurns())

    /// The scopes of the process-wide app that a task is in: who is in the turn waits for nobody.
    @TaskLocal private static var turn: UInt64?

    /// The app that code without any other runs as now.
    public static var current: App? { turns.withLock { $0.current } }

    /// Runs `body` while code of the whole process runs as an app, after those that asked before.
    ///
    /// In `body` another app may take its place for a while, by a nested call.
    ///
    /// - Parameters:
    ///   - app: the app.
    ///   - isolation: the actor that the caller is on.
    ///   - body: what needs it.
    /// - Returns: What `body` returns.
    /// - Throws: `CancellationError` when the task is cancelled while it waits for its turn, and what `body` throws.
    public static func with<Result>(
        _ app: App,
        isolation: isolated (any Actor)? = #isolation,
        _ body: () async throws -> Result
    ) async throws -> Result {
        if let turn, let place = turns.withLock({ $0.nest(app, in: turn) }) {
            defer { turns.withLock { $0.remove(place) } }
            return try await body()
        }
        return try await take(app, isolation: isolation, body)
    }

    /// Runs `body` while no code of the process runs as a process-wide app.
    package static func withNobody<Result>(
        isolation: isolated (any Actor)? = #isolation,
        _ body: () async throws -> Result
    ) async throws -> Result {
        try await take(nil, isolation: isolation, body)
    }

    private static func take<Result>(
        _ app: App?,
        isolation: isolated (any Actor)?,
        _ body: () async throws -> Result
    ) async throws -> Result {
        let turn = try await wait(app, isolation: isolation)
        turns.withLock { $0.begin(app, in: turn) }
        defer { turns.withLock { $0.end() }?.resume() }
        return try await $turn.withValue(turn, operation: body, isolation: isolation)
    }

    /// Has code of the whole process run as an app until ``unset()``, for `setUp()` of an `XCTestCase`.
    ///
    /// Another call replaces the app. While a test is in `with(_:_:)` nothing changes, and the caller's test fails.
    public static func set(_ app: App) {
        guard !turns.withLock({ $0.set(app) }) else { return }
        TestingKit.complain(
            "Another test has a process-wide app now. Use ProcessWideApp.with, which waits for its turn."
        )
    }

    /// Ends what ``set(_:)`` began, for `tearDown()`; without effect otherwise.
    public static func unset() { turns.withLock { $0.unset() }?.resume() }

    /// Whether somebody waits to have this app in the turn.
    package static func isAwaited(_ app: App) -> Bool { turns.withLock { $0.isAwaited(app) } }

    private static func wait(_ app: App?, isolation: isolated (any Actor)?) async throws -> UInt64 {
        let ticket = turns.withLock { $0.makeTicket() }
        try await withTaskCancellationHandler(
            operation: {
                try await withCheckedThrowingContinuation(isolation: isolation) { continuation in
                    let outcome = turns.withLock { turns in
                        // Cancelling sets the flag before it calls the handler, which then waits for the lock.
                        Task.isCancelled ? .cancelled : turns.enter(ticket, app, continuation)
                    }
                    switch outcome {
                    case .entered: continuation.resume()
                    case .cancelled: continuation.resume(throwing: CancellationError())
                    case .waits: break
                    }
                }
            },
            onCancel: { turns.withLock { $0.leave(ticket) }?.resume(throwing: CancellationError()) },
            isolation: isolation
        )
        return ticket
    }
}
