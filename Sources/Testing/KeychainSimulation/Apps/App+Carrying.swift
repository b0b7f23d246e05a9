// SPDX-License-Identifier: Apache-2.0

public import Dispatch
public import Foundation
import KeychainServices

extension App {
    /// Makes everything that runs on queues, or on queues that target them, run as this app.
    ///
    /// For `queue.async`, `asyncAfter`, `DispatchGroup.notify`, a `DispatchSource` and an `OperationQueue` whose
    /// `underlyingQueue` one of them is. Code that already runs as an app, through `run(_:)`, keeps that one; a
    /// `Task { }` that is started on a queue does not inherit the app.
    ///
    /// A queue is bound until the test ends, or until ``unbind(_:)``: the test of the trait `.keychain` or the
    /// `XCTestCase` that binds it, or in which the app's device was created. A binding that an XCTest class makes in
    /// the `setUp()` of the class ends with the class. A call on the queue after that belongs to no app, and fails. In
    /// any other test the end is unknown: unbind the queue there.
    ///
    /// These are not bound, and the test fails: a queue that another app has, because tests would take it from each
    /// other; the main queue and `DispatchQueue.global()`, which belong to every test of the process.
    public func bind(to queues: DispatchQueue...) {
        for queue in queues {
            guard !Self.isShared(queue) else {
                TestingKit.reportFailure(Self.cannotBind("The queue \(queue.label)"))
                continue
            }
            let holder = queue.getSpecific(key: Self.queueKey)?.app
            guard holder == nil || holder === self else {
                TestingKit.reportFailure(
                    """
                    The queue \(queue.label) is bound to another app, of this test or of one that runs beside it, so it was \
                    not bound to this one. Give each test a queue of its own, or end the first with App.unbind(queue).
                    """
                )
                continue
            }
            let binding = QueueBinding(self)
            queue.setSpecific(key: Self.queueKey, value: binding)
            (TestScope.current ?? device.scope)?.add(binding)
        }
    }

    /// Makes the operations of a queue, such as a delegate queue, run as this app.
    ///
    /// A queue without an `underlyingQueue` gets a concurrent one. The main queue, and one whose underlying queue is a
    /// global one, are not bound, and the test fails.
    public func bind(to operations: OperationQueue) {
        if operations === OperationQueue.main {
            return TestingKit.reportFailure(Self.cannotBind("The main operation queue"))
        }
        if let queue = operations.underlyingQueue { return bind(to: queue) }
        let queue = DispatchQueue(label: operations.name ?? "operations", attributes: .concurrent)
        bind(to: queue)
        operations.underlyingQueue = queue
    }

    private static func isShared(_ queue: DispatchQueue) -> Bool {
        // Compared by label, because each access to a system queue may return a different object.
        queue.label == DispatchQueue.main.label || queue.label.hasPrefix("com.apple.root.")
    }

    private static func cannotBind(_ queue: String) -> String {
        "\(queue) belongs to every test of the process, so it cannot be bound to one app. "
            + "Use a queue of your own, app.carry { … }, or ProcessWideApp."
    }

    /// Ends what ``bind(to:)-(DispatchQueue...)`` began, before the test ends.
    public static func unbind(_ queues: DispatchQueue...) {
        for queue in queues { queue.setSpecific(key: queueKey, value: nil) }
    }

    private static let queueKey = DispatchSpecificKey<QueueBinding>()

    private static var bindingOfQueue: QueueBinding? { DispatchQueue.getSpecific(key: queueKey) }

    /// The app of the queue, else that of the process, for code without a task-local one.
    package static var carried: App? { bindingOfQueue?.app ?? ProcessWideApp.current }

    /// Whether the code runs on a queue that was bound by a test that has ended.
    static var isOnQueueOfEndedTest: Bool { bindingOfQueue.map { $0.app == nil } ?? false }

    /// Returns a closure that runs as this app wherever it is called: on a queue, on a thread, in a detached task.
    ///
    /// ```swift
    /// queue.async(execute: app.carry { SecItemDelete(query) })
    /// ```
    public func carry<Result>(_ body: @escaping @Sendable () -> Result) -> @Sendable () -> Result {
        { self.run { body() } }
    }

    /// Makes a closure that may throw and that runs as this app wherever it is called.
    public func carry<Result>(_ body: @escaping @Sendable () throws -> Result) -> @Sendable () throws -> Result {
        { try self.run { try body() } }
    }

    /// Returns an asynchronous closure that runs as this app wherever it is called, such as in a detached task.
    ///
    /// ```swift
    /// Task.detached(operation: app.carry { await session.refresh() })
    /// ```
    public func carry<Result: Sendable>(
        _ body: @escaping @Sendable () async -> Result
    ) -> @Sendable () async -> Result {
        { await self.run { await body() } }
    }

    /// Makes an asynchronous closure that may throw and that runs as this app wherever it is called.
    public func carry<Result: Sendable>(
        _ body: @escaping @Sendable () async throws -> Result
    ) -> @Sendable () async throws -> Result {
        { try await self.run { try await body() } }
    }

    /// Makes a closure of one argument that runs as this app wherever it is called.
    public func carry<Argument, Result>(
        _ body: @escaping @Sendable (Argument) -> Result
    ) -> @Sendable (Argument) -> Result {
        { argument in self.run { body(argument) } }
    }

    /// Makes a closure of two arguments, such as a completion handler, that runs as this app wherever it is called.
    public func carry<First, Second, Result>(
        _ body: @escaping @Sendable (First, Second) -> Result
    ) -> @Sendable (First, Second) -> Result {
        { first, second in self.run { body(first, second) } }
    }
}
