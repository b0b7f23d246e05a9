// SPDX-License-Identifier: Apache-2.0

import KeychainServices
import Synchronization

/// The app of all code in the process that has no other: for code that ``App/run(_:)``, a bound queue or a carried
/// closure cannot cover, such as a thread of a library.
///
/// There is at most one at a time, and while there is one, no other test of the trait `.keychain` runs: a call of such
/// a test that has lost its app would reach the device of another test, and pass. Tests take turns in the order of
/// arrival, both those that use `with(_:_:)` or `.keychain(processWide: true)` and those with devices of their own.
///
/// A test without the trait does not wait. Its calls do not reach the app if the test is known: by its task, or by its
/// function on the stack, which also covers closures written in it. A thread without a test's function on its stack
/// counts as one of the test that has the turn, and may make another test pass. A test that uses ``set(_:)`` instead,
/// in `setUp()`, does not wait either: it fails if tests of the trait are running.
public enum ProcessWideApp {
    private static let turns = Mutex(ProcessWideTurns())

    /// The exclusive turn that a task holds; nothing waits within it.
    @TaskLocal private static var turn: UInt64?

    /// The scope of the shared turn that a task holds.
    @TaskLocal private static var scope: UInt64?

    /// Names the test that the current task belongs to; `nil` if unknown.
    ///
    /// Set by `KeychainTesting`.
    package static let callingTest = Guarded<@Sendable () -> String?>({ nil })

    /// Names the test whose function is on the stack of the current thread; `nil` if unknown.
    ///
    /// Set by `KeychainTesting`.
    package static let namedTest = Guarded<@Sendable () -> String?>({ nil })

    /// The current process-wide app.
    ///
    /// It does not serve code that is known to belong to another test than the one that holds the turn, by its task or
    /// by a function on the stack, such as a closure that outlives its test.
    public static var current: App? {
        guard let entry = turns.withLock({ $0.current }) else { return nil }
        guard let test = entry.test else { return entry.app }
        guard let caller = testOfCaller ?? namedTest.withLock(\.self)(), caller != test else { return entry.app }
        return nil
    }

    static var testOfCaller: String? { callingTest.withLock(\.self)() }

    /// Runs `body` while all code of the process without an app runs as this one, after earlier requests, and while no
    /// other test of the trait `.keychain` runs.
    ///
    /// A nested call in `body` replaces the app temporarily.
    ///
    /// A test of the trait must call it in its own task: a call in a detached task waits for the test to end, so the
    /// test must not wait for it.
    ///
    /// - Parameters:
    ///   - app: the app.
    ///   - isolation: the actor that the caller is on.
    ///   - body: the code that needs it.
    /// - Returns: The result of `body`.
    /// - Throws: `CancellationError` if the task is cancelled while it waits for its turn, and the errors of `body`.
    public static func with<Result>(
        _ app: App,
        isolation: isolated (any Actor)? = #isolation,
        _ body: () async throws -> Result
    ) async throws -> Result {
        let test = testOfCaller
        if let turn, let place = turns.withLock({ $0.nest(app, of: test, in: turn) }) {
            defer { turns.withLock { $0.remove(place) } }
            return try await body()
        }
        return try await withExclusiveAccess(app, isolation: isolation, body)
    }

    /// Runs `body` while no code of the process runs as a process-wide app, and no other test of the trait runs.
    package static func withNobody<Result>(
        isolation: isolated (any Actor)? = #isolation,
        _ body: () async throws -> Result
    ) async throws -> Result {
        try await withExclusiveAccess(nil, isolation: isolation, body)
    }

    /// Runs `body` concurrently with others that do the same, but not while there is a process-wide app.
    ///
    /// Within another such scope, and in that of a process-wide app, it does not wait.
    package static func withSharedAccess<Result>(
        isolation: isolated (any Actor)? = #isolation,
        _ body: () async throws -> Result
    ) async throws -> Result {
        guard scope == nil, turn == nil else { return try await body() }
        let ticket = try await wait(.shared, isolation: isolation)
        turns.withLock { $0.beginScope(ticket) }
        defer { resume { $0.endScope(ticket) } }
        return try await $scope.withValue(ticket, operation: body, isolation: isolation)
    }

    private static func withExclusiveAccess<Result>(
        _ app: App?,
        isolation: isolated (any Actor)?,
        _ body: () async throws -> Result
    ) async throws -> Result {
        let scope = scope
        if let scope { resume { $0.releaseTurn(of: scope) } }
        let turn: UInt64
        do {
            turn = try await wait(.exclusive(app), isolation: isolation)
        } catch {
            if let scope { await reacquireTurn(scope, isolation: isolation) }
            throw error
        }
        let test = testOfCaller
        turns.withLock { $0.begin(app, of: test, in: turn) }
        defer { resume { $0.end(within: scope) } }
        return try await $turn.withValue(turn, operation: body, isolation: isolation)
    }

    /// Waits until a scope whose call was cancelled has its shared turn again; this wait cannot be cancelled.
    private static func reacquireTurn(_ scope: UInt64, isolation: isolated (any Actor)?) async {
        guard let ticket = try? await wait(.shared, isCancellable: false, isolation: isolation) else { return }
        resume { turns in
            turns.restoreTurn(of: scope)
            return turns.endScope(ticket)
        }
    }

    /// Makes all code of the process without an app run as this one until ``unset()``, for `setUp()` of an
    /// `XCTestCase`.
    ///
    /// Another call replaces the app. While a test is in `with(_:_:)`, or a test of the trait `.keychain` runs, it has
    /// no effect and makes the caller's test fail; it also fails in a test of Swift Testing, because nothing would
    /// unset the app afterwards. An app that an `XCTestCase` sets is unset at the end of the test at the latest, and
    /// one that the `setUp()` of a class sets after the last test of the class.
    public static func set(_ app: App) {
        guard testOfCaller == nil else {
            return TestingKit.reportFailure(
                """
                ProcessWideApp.set is for setUp() of an XCTestCase: here nothing would end it, and every test with a device \
                would wait forever. Use @Test(.keychain(processWide: true)) or ProcessWideApp.with(app) { … }.
                """
            )
        }
        guard !turns.withLock({ $0.set(app) }) else { return }
        TestingKit.reportFailure(
            "Other tests with devices run now. Use ProcessWideApp.with or .keychain(processWide: true), which wait for their turn."
        )
    }

    /// Ends what ``set(_:)`` began, for `tearDown()`; without effect otherwise.
    public static func unset() { resume { $0.unset() } }

    /// The app that was set, and not unset.
    package static var setApp: App? { turns.withLock { $0.setApp } }

    /// Restores the app that was set before, unless the current one was unset meanwhile.
    package static func restore(_ app: App?) {
        guard let current = setApp, current !== app else { return }
        if let app { set(app) } else { unset() }
    }

    /// Whether a test waits for an exclusive turn with this app.
    package static func isAwaited(_ app: App) -> Bool { turns.withLock { $0.isAwaited(app) } }

    /// The number of waiting tests.
    package static var waitingCount: Int { turns.withLock { $0.waitingCount } }

    private static func resume(_ change: (inout ProcessWideTurns) -> [ProcessWideTurns.Continuation]) {
        for continuation in turns.withLock({ change(&$0) }) { continuation.resume() }
    }

    private static func wait(
        _ turn: ProcessWideTurns.Turn,
        isCancellable: Bool = true,
        isolation: isolated (any Actor)?
    ) async throws -> UInt64 {
        let ticket = turns.withLock { $0.makeTicket() }
        let test = testOfCaller
        try await withTaskCancellationHandler(
            operation: {
                try await withCheckedThrowingContinuation(isolation: isolation) { continuation in
                    let outcome = turns.withLock { turns in
                        // Cancellation sets the flag before it calls the handler, which then waits for the lock.
                        isCancellable && Task.isCancelled
                            ? .cancelled : turns.enter(ticket, for: turn, of: test, resuming: continuation)
                    }
                    switch outcome {
                    case .entered: continuation.resume()
                    case .cancelled: continuation.resume(throwing: CancellationError())
                    case .waits: watch(ticket)
                    }
                }
            },
            onCancel: {
                guard isCancellable else { return }
                for continuation in turns.withLock({ $0.leave(ticket) }) {
                    continuation.resume(throwing: CancellationError())
                }
                resume { $0.admitNext() }
            },
            isolation: isolation
        )
        return ticket
    }

    /// Reports who waits for whom when no turn has ended for a long time.
    private static func watch(_ ticket: UInt64) {
        let seconds = Standstill.patience.withLock(\.self)
        Standstill.after(seconds) {
            switch turns.withLock({ $0.patience(of: ticket, after: seconds) }) {
            case .over: break
            case .goesOn: watch(ticket)
            case .ended(let text): Standstill.report(text)
            }
        }
    }
}
