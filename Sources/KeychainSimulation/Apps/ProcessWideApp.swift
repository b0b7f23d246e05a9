// SPDX-License-Identifier: Apache-2.0

import KeychainServices
import Synchronization

/// The app that code without any other runs as, wherever in the process: for code that cannot be reached by
/// ``App/run(_:)``, a bound queue or a carried closure, such as a thread of a library.
///
/// There is one at a time, and while there is one, no other test of the trait `.keychain` runs: what such a test lost
/// would reach the device of another, and pass. Tests come in the order in which they asked, both those that use
/// `with(_:_:)` or `.keychain(processWide: true)` and those with devices of their own. Code of a test without the trait
/// that reaches it is told where it is known whose it is: in the test's own task. A test that uses ``set(_:)`` instead,
/// in `setUp()`, does not wait: it fails where tests of the trait run.
public enum ProcessWideApp {
    private static let turns = Mutex(ProcessWideTurns())

    /// The exclusive turn that a task is in: who is in it waits for nobody.
    @TaskLocal private static var turn: UInt64?

    /// The scope of a shared turn that a task is in.
    @TaskLocal private static var scope: UInt64?

    /// Names the test that the current task belongs to; `nil` where that is not known.
    ///
    /// Set by `KeychainTesting`.
    package static let callingTest = Guarded<@Sendable () -> String?>({ nil })

    /// Names the test whose function is on the stack of the current thread; `nil` where none is known.
    ///
    /// Set by `KeychainTesting`.
    package static let namedTest = Guarded<@Sendable () -> String?>({ nil })

    /// The app that code without any other runs as now.
    ///
    /// It serves no code that is known to be of another test than the one in the turn: of its task, or with its
    /// function on the stack, such as a closure that outlives its test.
    public static var current: App? {
        guard let entry = turns.withLock({ $0.current }) else { return nil }
        guard let test = entry.test else { return entry.app }
        guard let caller = testOfCaller ?? namedTest.withLock(\.self)(), caller != test else { return entry.app }
        return nil
    }

    static var testOfCaller: String? { callingTest.withLock(\.self)() }

    /// Runs `body` while code of the whole process runs as an app, after those that asked before, and while no other
    /// test of the trait `.keychain` runs.
    ///
    /// In `body` another app may take its place for a while, by a nested call.
    ///
    /// A test of the trait calls it in its own task: what waits in a detached one waits for the test, which must not
    /// wait for it.
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
        let test = testOfCaller
        if let turn, let place = turns.withLock({ $0.nest(app, of: test, in: turn) }) {
            defer { turns.withLock { $0.remove(place) } }
            return try await body()
        }
        return try await alone(app, isolation: isolation, body)
    }

    /// Runs `body` while no code of the process runs as a process-wide app, and no other test of the trait runs.
    package static func withNobody<Result>(
        isolation: isolated (any Actor)? = #isolation,
        _ body: () async throws -> Result
    ) async throws -> Result {
        try await alone(nil, isolation: isolation, body)
    }

    /// Runs `body` beside others that do the same, and while nobody has the process-wide app.
    ///
    /// Within another scope of this, and in that of a process-wide app, it waits for nobody.
    package static func beside<Result>(
        isolation: isolated (any Actor)? = #isolation,
        _ body: () async throws -> Result
    ) async throws -> Result {
        guard scope == nil, turn == nil else { return try await body() }
        let ticket = try await wait(.shared, isolation: isolation)
        turns.withLock { $0.beginScope(ticket) }
        defer { resume { $0.endScope(ticket) } }
        return try await $scope.withValue(ticket, operation: body, isolation: isolation)
    }

    private static func alone<Result>(
        _ app: App?,
        isolation: isolated (any Actor)?,
        _ body: () async throws -> Result
    ) async throws -> Result {
        let scope = scope
        if let scope { resume { $0.giveUp(scope) } }
        let turn: UInt64
        do {
            turn = try await wait(.exclusive(app), isolation: isolation)
        } catch {
            if let scope { await takeBack(scope, isolation: isolation) }
            throw error
        }
        let test = testOfCaller
        turns.withLock { $0.begin(app, of: test, in: turn) }
        defer { resume { $0.end(within: scope) } }
        return try await $turn.withValue(turn, operation: body, isolation: isolation)
    }

    /// Waits until a scope whose call was cancelled may go on beside the others; it is not cancelled itself.
    private static func takeBack(_ scope: UInt64, isolation: isolated (any Actor)?) async {
        guard let ticket = try? await wait(.shared, isCancellable: false, isolation: isolation) else { return }
        resume { turns in
            turns.giveBack(scope)
            return turns.endScope(ticket)
        }
    }

    /// Has code of the whole process run as an app until ``unset()``, for `setUp()` of an `XCTestCase`.
    ///
    /// Another call replaces the app. While a test is in `with(_:_:)`, or one of the trait `.keychain` runs, nothing
    /// changes, and the caller's test fails; so does a test of Swift Testing, after which nobody would unset it. What
    /// an `XCTestCase` sets is unset when that test ends, at the latest, and what its class sets in the `setUp()` of
    /// the class when the last test of the class has ended.
    public static func set(_ app: App) {
        guard testOfCaller == nil else {
            return TestingKit.complain(
                """
                ProcessWideApp.set is for setUp() of an XCTestCase: here nothing would end it, and every test with a device \
                would wait for ever. Use @Test(.keychain(processWide: true)) or ProcessWideApp.with(app) { … }.
                """
            )
        }
        guard !turns.withLock({ $0.set(app) }) else { return }
        TestingKit.complain(
            "Other tests with devices run now. Use ProcessWideApp.with or .keychain(processWide: true), which wait for their turn."
        )
    }

    /// Ends what ``set(_:)`` began, for `tearDown()`; without effect otherwise.
    public static func unset() { resume { $0.unset() } }

    /// The app that was set, and not unset.
    package static var setApp: App? { turns.withLock { $0.setApp } }

    /// Ends what was set since an app, or none, was the set one; what was unset since stays so.
    package static func restore(_ app: App?) {
        guard let current = setApp, current !== app else { return }
        if let app { set(app) } else { unset() }
    }

    /// Whether somebody waits to have this app in the turn.
    package static func isAwaited(_ app: App) -> Bool { turns.withLock { $0.isAwaited(app) } }

    /// How many wait for a turn of any kind.
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
                        // Cancelling sets the flag before it calls the handler, which then waits for the lock.
                        isCancellable && Task.isCancelled
                            ? .cancelled : turns.enter(ticket, turn, of: test, continuation)
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

    /// Says who waits for whom when nobody's turn has ended for long.
    private static func watch(_ ticket: UInt64) {
        let seconds = Standstill.patience.withLock(\.self)
        Standstill.after(seconds) {
            switch turns.withLock({ $0.patience(of: ticket, after: seconds) }) {
            case .over: break
            case .goesOn: watch(ticket)
            case .ended(let text): Standstill.tell(text)
            }
        }
    }
}
