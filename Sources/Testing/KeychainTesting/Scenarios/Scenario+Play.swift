// SPDX-License-Identifier: Apache-2.0

public import KeychainSimulation
public import Testing

extension Scenario {
    /// Runs code as an app while all is well, lets the event happen, and runs code as the app that it leaves behind.
    ///
    /// Each play has a device of its own; the test needs no trait. When something fails in it, a warning beside the
    /// failure describes the event, what to do, and the calls on the devices, without secrets.
    ///
    /// - Parameters:
    ///   - platform: what the device is.
    ///   - entitlements: the app's.
    ///   - sourceLocation: where the warning beside a failure is recorded.
    ///   - before: runs on an unlocked device with an empty keychain.
    ///   - afterwards: runs after the event, on the device that the app is on then.
    /// - Returns: what `afterwards` returns.
    /// - Throws: what the closures throw, and `VirtualDeviceError`.
    @discardableResult
    public func play<Result>(
        on platform: VirtualDevice.Platform = .default,
        as entitlements: Entitlements = Scenario.entitlements,
        sourceLocation: SourceLocation = #_sourceLocation,
        _ before: () throws -> Void,
        afterwards: () throws -> Result
    ) throws -> Result {
        try play(on: platform, as: entitlements, sourceLocation: sourceLocation) { _ in
            try before()
        } afterwards: { _ in
            try afterwards()
        }
    }

    /// Runs code as an app while all is well, lets the event happen, and runs code as the app that it leaves behind.
    ///
    /// - Parameters:
    ///   - platform: what the device is.
    ///   - entitlements: the app's.
    ///   - sourceLocation: where the warning beside a failure is recorded.
    ///   - before: runs on an unlocked device with an empty keychain, and has the device, the app and its settings.
    ///   - afterwards: runs after the event, and has the device, the app and its settings as they are then.
    /// - Returns: what `afterwards` returns.
    /// - Throws: what the closures throw, and `VirtualDeviceError`.
    @discardableResult
    public func play<Result>(
        on platform: VirtualDevice.Platform = .default,
        as entitlements: Entitlements = Scenario.entitlements,
        sourceLocation: SourceLocation = #_sourceLocation,
        _ before: (ScenarioWorld) throws -> Void,
        afterwards: (ScenarioWorld) throws -> Result
    ) throws -> Result {
        let world = try ScenarioWorld(self, on: platform, as: entitlements)
        return try world.explainingFailures(at: sourceLocation) {
            try world.run { try before(world) }
            try world.letHappen()
            return try world.run { try afterwards(world) }
        }
    }

    /// Runs code as an app while all is well, lets the event happen, and runs code as the app that it leaves behind.
    ///
    /// - Parameters:
    ///   - platform: what the device is.
    ///   - entitlements: the app's.
    ///   - isolation: where the closures run.
    ///   - sourceLocation: where the warning beside a failure is recorded.
    ///   - before: runs on an unlocked device with an empty keychain.
    ///   - afterwards: runs after the event, on the device that the app is on then.
    /// - Returns: what `afterwards` returns.
    /// - Throws: what the closures throw, and `VirtualDeviceError`.
    @discardableResult
    public func play<Result>(
        on platform: VirtualDevice.Platform = .default,
        as entitlements: Entitlements = Scenario.entitlements,
        isolation: isolated (any Actor)? = #isolation,
        sourceLocation: SourceLocation = #_sourceLocation,
        _ before: () async throws -> Void,
        afterwards: () async throws -> Result
    ) async throws -> Result {
        try await play(on: platform, as: entitlements, isolation: isolation, sourceLocation: sourceLocation) { _ in
            try await before()
        } afterwards: { _ in
            try await afterwards()
        }
    }

    /// Runs code as an app while all is well, lets the event happen, and runs code as the app that it leaves behind.
    ///
    /// - Parameters:
    ///   - platform: what the device is.
    ///   - entitlements: the app's.
    ///   - isolation: where the closures run.
    ///   - sourceLocation: where the warning beside a failure is recorded.
    ///   - before: runs on an unlocked device with an empty keychain, and has the device, the app and its settings.
    ///   - afterwards: runs after the event, and has the device, the app and its settings as they are then.
    /// - Returns: what `afterwards` returns.
    /// - Throws: what the closures throw, and `VirtualDeviceError`.
    @discardableResult
    public func play<Result>(
        on platform: VirtualDevice.Platform = .default,
        as entitlements: Entitlements = Scenario.entitlements,
        isolation: isolated (any Actor)? = #isolation,
        sourceLocation: SourceLocation = #_sourceLocation,
        _ before: (ScenarioWorld) async throws -> Void,
        afterwards: (ScenarioWorld) async throws -> Result
    ) async throws -> Result {
        let world = try ScenarioWorld(self, on: platform, as: entitlements)
        return try await world.explainingFailures(at: sourceLocation, isolation: isolation) {
            try await world.run(isolation: isolation) { try await before(world) }
            try world.letHappen()
            return try await world.run(isolation: isolation) { try await afterwards(world) }
        }
    }
}
