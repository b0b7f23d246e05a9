// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import KeychainSimulation
import Synchronization

/// The device and the app of one play of a scenario, before and after the event.
///
/// `Scenario.play` creates one. A test that needs more steps creates its own, runs code in it, and calls
/// `triggerEvent()`:
///
/// ```swift
/// let world = try ScenarioWorld(.teamChanged)
/// try world.run { try TokenStore().save("t") }
/// try world.triggerEvent()
/// try world.run { try #expect(TokenStore().load() == nil) }
/// ```
public final class ScenarioWorld: Sendable {
    /// The scenario.
    public let scenario: Scenario

    /// The app as it was installed first; it differs from ``app`` after a restore or a new installation.
    public let firstApp: App

    /// The play that the current task is in.
    @TaskLocal static var current: ScenarioWorld?

    private let state: Mutex<State>

    private struct State {
        var app: App
        var container = AppContainer()
        var hasHappened = false
    }

    /// Creates a device with a passcode and enrolled biometry, unlocked, and installs an app.
    ///
    /// - Parameters:
    ///   - scenario: the scenario to play.
    ///   - platform: the platform of the device.
    ///   - entitlements: the app's entitlements; the first keychain access group of an app of
    ///     ``Scenario/entitlementRemoved`` must differ from its application identifier.
    /// - Throws: `VirtualDeviceError`.
    public init(
        _ scenario: Scenario,
        on platform: VirtualDevice.Platform = .default,
        as entitlements: Entitlements = Scenario.entitlements
    ) throws(VirtualDeviceError) {
        self.scenario = scenario
        firstApp = try VirtualDevice(platform).install(entitlements)
        state = Mutex(State(app: firstApp))
    }

    /// The app that code runs as now.
    public var app: App { state.withLock(\.app) }

    /// The device that the app is on now.
    public var device: VirtualDevice { app.device }

    /// The settings of the app, for code that takes a `UserDefaults`.
    ///
    /// They are deleted with the app, and restored with a backup. In memory; never `.standard`.
    public var defaults: UserDefaults { state.withLock(\.container).defaults }

    /// Whether the event has happened.
    public var hasHappened: Bool { state.withLock(\.hasHappened) }

    /// The state of an item in the app's first access group; before the event, that it exists.
    public func expectation(for protection: Scenario.Protection = .whenUnlocked) -> Scenario.Expectation {
        hasHappened ? scenario.expectation(for: protection, on: device.platform) : .isThere
    }

    /// Runs `body` as the app.
    public func run<Result>(_ body: () throws -> Result) rethrows -> Result { try app.run(body) }

    /// Runs `body` as the app.
    public func run<Result>(
        isolation: isolated (any Actor)? = #isolation,
        _ body: () async throws -> Result
    ) async rethrows -> Result {
        try await app.run(isolation: isolation, body)
    }

    func replace(app: App) { state.withLock { $0.app = app } }

    func loseSettings() { state.withLock { $0.container = AppContainer() } }

    func copySettings() { state.withLock { $0.container = $0.container.copy() } }

    /// Records that the event happens.
    ///
    /// - Returns: whether it had not happened before.
    func begin() -> Bool {
        state.withLock { state in
            defer { state.hasHappened = true }
            return !state.hasHappened
        }
    }

    /// Records that the event could not happen.
    func resetEvent() { state.withLock { $0.hasHappened = false } }
}

extension Scenario {
    /// The default entitlements of the app in a scenario.
    ///
    /// It stores in a keychain access group that it shares, as apps with extensions do.
    public static let entitlements = Entitlements(
        team: "TEAMID1234",
        bundleIdentifier: "com.example.app",
        keychainAccessGroups: ["com.example.shared"]
    )
}
