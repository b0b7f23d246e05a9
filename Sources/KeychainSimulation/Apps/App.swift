// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import KeychainDoctor
package import KeychainServices

/// An app that is installed on a virtual device: code that runs as it sees the device's keychain with its entitlements.
///
/// Which app code runs as is a task-local value: child tasks and `Task { }` inherit it; `DispatchQueue.async`,
/// `Task.detached` and threads do not. A call that has lost it fails, and the test with it, unless one of these says
/// which app it belongs to:
///
/// 1. ``run(_:)`` around the call, or a closure made by `carry(_:)`;
/// 2. ``bind(to:)-(DispatchQueue...)`` for the queue that it is made on;
/// 3. ``ProcessWideApp``, for code that cannot be reached.
///
/// The first of these that is there counts, in this order. Thread-safe.
public final class App: Sendable {
    /// The device.
    public let device: VirtualDevice

    let state: Guarded<State>

    struct State {
        var entitlements: Entitlements { didSet { client = entitlements.client(on: platform) } }
        let platform: VirtualDevice.Platform
        /// Who the app is to the keychain: made once, because every call asks.
        private(set) var client: Client
        var isInstalled = true
        var extensions: [App] = []

        init(_ entitlements: Entitlements, on platform: VirtualDevice.Platform) {
            self.entitlements = entitlements
            self.platform = platform
            client = entitlements.client(on: platform)
        }
    }

    init(_ entitlements: Entitlements, on device: VirtualDevice) {
        self.device = device
        state = Guarded(State(entitlements, on: device.platform))
        Self.check(entitlements, on: device)
    }

    /// The app that the current code runs as, and whose device it may lock; `nil` outside of an app.
    ///
    /// It is looked for where a keychain call would: in the task, in the queue, in the process.
    public static var current: App? {
        guard let context = KeychainContext.current else { return carried }
        return context.owner as? App
    }

    /// What the app may use now.
    public var entitlements: Entitlements { state.withLock(\.entitlements) }

    /// Whether the app can run.
    public var isInstalled: Bool { state.withLock(\.isInstalled) }

    /// Runs `body` as this app.
    public func run<Result>(_ body: () throws -> Result) rethrows -> Result {
        checkInstallation()
        return try KeychainContext.$current.withValue(context, operation: body)
    }

    /// Runs `body` as this app, and the tasks that it starts as children.
    public func run<Result>(
        isolation: isolated (any Actor)? = #isolation,
        _ body: () async throws -> Result
    ) async rethrows -> Result {
        checkInstallation()
        return try await KeychainContext.$current.withValue(context, operation: body, isolation: isolation)
    }

    /// Runs `body` as this app on a thread of its own, while the caller's task is suspended.
    ///
    /// For a call that blocks its thread until the test lets it go on: one that ``Faults`` hold, or whose question the
    /// test answers.
    ///
    /// - Parameter body: makes the call; it sees no other value of the task.
    /// - Returns: What `body` returns.
    /// - Throws: What `body` throws.
    public func runOnThread<Value: Sendable, Failure: Error>(
        _ body: @escaping @Sendable () throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let outcome: Result<Value, Failure> = await withCheckedContinuation { continuation in
            let thread = Thread {
                continuation.resume(
                    returning: self.run {
                        do throws(Failure) { return .success(try body()) } catch { return .failure(error) }
                    }
                )
            }
            thread.name = "call of an app"
            thread.start()
        }
        return try outcome.get()
    }

    /// Has the test fail when the app is not installed.
    ///
    /// - Returns: Why nothing can be done as the app; `nil` when it can.
    @discardableResult
    func checkInstallation() -> String? {
        guard !isInstalled else { return nil }
        let reason =
            "The app \(entitlements.applicationIdentifier) is not installed any more, so nothing can run as it. "
            + "Install it again with reinstall(), or run the code before uninstall()."
        TestingKit.complain(reason)
        return reason
    }

    static func check(_ entitlements: Entitlements, on device: VirtualDevice) {
        for problem in entitlements.problems(on: device.platform) {
            TestingKit.complain("No app can be signed with these entitlements: \(problem).")
        }
    }
}

extension App: KeychainContextOwner {
    /// Which keychain the app's next call reaches, and as whom.
    package var context: KeychainContext {
        let (client, entitlements) = state.withLock { ($0.client, $0.entitlements) }
        return KeychainContext(
            backend: AppKeychain(app: self),
            client: client,
            entitlements: { [platform = device.platform] in entitlements.propertyList(on: platform) },
            owner: self
        )
    }

    /// What the doctor says of the call that failed last on this thread.
    package var adviceOnLastFailure: String? { device.calls.lastReport?.adviceSentence }
}
