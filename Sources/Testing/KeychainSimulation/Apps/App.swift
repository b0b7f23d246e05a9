// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import KeychainDoctor
package import KeychainServices

/// An app that is installed on a virtual device: code that runs as it sees the device's keychain with its entitlements.
///
/// The app that code runs as is a task-local value: child tasks and `Task { }` inherit it; `DispatchQueue.async`,
/// `Task.detached` and threads do not. A call without an app fails, and makes the test fail, unless one of the
/// following determines the app:
///
/// 1. ``run(_:)`` around the call, or a closure made by `carry(_:)`;
/// 2. ``bind(to:)-(DispatchQueue...)`` for the queue that it is made on;
/// 3. ``ProcessWideApp``, for code that the test cannot wrap.
///
/// They are tried in this order. Thread-safe.
public final class App: Sendable {
    /// The device.
    public let device: VirtualDevice

    let state: Guarded<State>

    struct State {
        var entitlements: Entitlements { didSet { client = entitlements.client(on: platform) } }
        let platform: VirtualDevice.Platform
        /// The keychain's client for the app; created once, because every call needs it.
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
    /// It is looked up as for a keychain call: in the task, on the queue, in the process.
    public static var current: App? {
        guard let context = KeychainContext.current else { return carried }
        return context.owner as? App
    }

    /// The current entitlements.
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

    /// Runs `body` as this app on a separate thread, while the caller's task is suspended.
    ///
    /// For calls that block their thread until the test releases them: those that ``Faults`` hold, or whose prompt the
    /// test answers.
    ///
    /// - Parameter body: makes the call; it sees no other task-local value.
    /// - Returns: The result of `body`.
    /// - Throws: The errors of `body`.
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

    /// Makes the test fail if the app is not installed.
    ///
    /// - Returns: The reason why nothing can run as the app; `nil` if it is installed.
    @discardableResult
    func checkInstallation() -> String? {
        guard !isInstalled else { return nil }
        let reason =
            "The app \(entitlements.applicationIdentifier) is not installed any more, so nothing can run as it. "
            + "Install it again with reinstall(), or run the code before uninstall()."
        TestingKit.reportFailure(reason)
        return reason
    }

    static func check(_ entitlements: Entitlements, on device: VirtualDevice) {
        for problem in entitlements.problems(on: device.platform) {
            TestingKit.reportFailure("No app can be signed with these entitlements: \(problem).")
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
            fileBased: device.fileBased,
            hasFrontEnd: device.macKeychains != nil,
            owner: self,
            trustSettings: device.trustSettings
        )
    }

    /// The doctor's explanation of the last failed call of this thread.
    package var adviceOnLastFailure: String? { device.calls.lastReport?.adviceSentence }
}
