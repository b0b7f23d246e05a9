// SPDX-License-Identifier: Apache-2.0

public import KeychainSimulation
public import Testing

extension Scenario {
    /// Runs code as an app in the normal state, makes the event happen, and runs code as the app afterwards.
    ///
    /// Each play has a device of its own; the test needs no trait. If something fails in it, a warning next to the
    /// failure describes the event, what to do, and the calls on the devices, without secrets.
    ///
    /// - Parameters:
    ///   - platform: the platform of the device.
    ///   - entitlements: the app's entitlements.
    ///   - sourceLocation: the location of the warning next to a failure.
    ///   - before: runs on an unlocked device with an empty keychain.
    ///   - afterwards: runs after the event, on the device that the app is then on.
    /// - Returns: the result of `afterwards`.
    /// - Throws: the errors of the closures, and `VirtualDeviceError`.
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

    /// Runs code as an app in the normal state, makes the event happen, and runs code as the app afterwards.
    ///
    /// - Parameters:
    ///   - platform: the platform of the device.
    ///   - entitlements: the app's entitlements.
    ///   - sourceLocation: the location of the warning next to a failure.
    ///   - before: runs on an unlocked device with an empty keychain, with access to the device, the app and its
    ///     settings.
    ///   - afterwards: runs after the event, with access to the device, the app and its settings at that time.
    /// - Returns: the result of `afterwards`.
    /// - Throws: the errors of the closures, and `VirtualDeviceError`.
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
            try world.triggerEvent()
            return try world.run { try afterwards(world) }
        }
    }

    /// Runs code as an app in the normal state, makes the event happen, and runs code as the app afterwards.
    ///
    /// - Parameters:
    ///   - platform: the platform of the device.
    ///   - entitlements: the app's entitlements.
    ///   - isolation: the actor on which the closures run.
    ///   - sourceLocation: the location of the warning next to a failure.
    ///   - before: runs on an unlocked device with an empty keychain.
    ///   - afterwards: runs after the event, on the device that the app is then on.
    /// - Returns: the result of `afterwards`.
    /// - Throws: the errors of the closures, and `VirtualDeviceError`.
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

    /// Runs code as an app in the normal state, makes the event happen, and runs code as the app afterwards.
    ///
    /// - Parameters:
    ///   - platform: the platform of the device.
    ///   - entitlements: the app's entitlements.
    ///   - isolation: the actor on which the closures run.
    ///   - sourceLocation: the location of the warning next to a failure.
    ///   - before: runs on an unlocked device with an empty keychain, with access to the device, the app and its
    ///     settings.
    ///   - afterwards: runs after the event, with access to the device, the app and its settings at that time.
    /// - Returns: the result of `afterwards`.
    /// - Throws: the errors of the closures, and `VirtualDeviceError`.
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
            try world.triggerEvent()
            return try await world.run(isolation: isolation) { try await afterwards(world) }
        }
    }
}
