// SPDX-License-Identifier: Apache-2.0

public import Dispatch
import KeychainServices

extension App {
    /// Has everything that runs on a queue, or on a queue that targets it, run as this app.
    ///
    /// For `queue.async`, `asyncAfter`, `DispatchSource`, and an `OperationQueue` whose `underlyingQueue` it is. The queue
    /// keeps the app and its device until ``unbind(_:)`` or its own end. What runs as an app already, by ``run(_:)``, stays with
    /// that one. The main queue and `DispatchQueue.global()` belong to every test of the process: they are not bound, and the
    /// test fails.
    public func bind(to queue: DispatchQueue) {
        guard !Self.isEverybodys(queue) else {
            return TestingKit.complain(
                "The queue \(queue.label) belongs to every test of the process, so it cannot be bound to one app. "
                    + "Use a queue of your own, app.carry { … }, or ProcessWideApp."
            )
        }
        queue.setSpecific(key: Self.queueKey, value: self)
    }

    private static func isEverybodys(_ queue: DispatchQueue) -> Bool {
        // By their labels: each look at a queue of the system may make another object.
        queue.label == DispatchQueue.main.label || queue.label.hasPrefix("com.apple.root.")
    }

    /// Ends what ``bind(to:)`` began.
    public static func unbind(_ queue: DispatchQueue) { queue.setSpecific(key: queueKey, value: nil) }

    private static let queueKey = DispatchSpecificKey<App>()

    /// The app of the queue, else of the process: for code without a task-local one.
    package static var carried: App? { DispatchQueue.getSpecific(key: queueKey) ?? ProcessWideApp.current }

    /// Makes a closure that runs as this app wherever it is called: on a queue, on a thread, in a detached task.
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
