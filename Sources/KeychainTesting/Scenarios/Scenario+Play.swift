// SPDX-License-Identifier: Apache-2.0

public import KeychainSimulation

extension Scenario {
    /// Runs code as an app while all is well, lets the event happen, and runs code as the app that it leaves behind.
    ///
    /// Each play has a device of its own; the test needs no trait.
    ///
    /// - Parameters:
    ///   - platform: what the device is.
    ///   - entitlements: the app's.
    ///   - before: runs on an unlocked device with an empty keychain.
    ///   - afterwards: runs after the event, on the device that the app is on then.
    /// - Returns: what `afterwards` returns.
    /// - Throws: what the closures throw, and `VirtualDeviceError`.
    @discardableResult
    public func play<Result>(
        on platform: VirtualDevice.Platform = .iOS,
        as entitlements: Entitlements = Scenario.entitlements,
        _ before: () throws -> Void,
        afterwards: () throws -> Result
    ) throws -> Result {
        try play(on: platform, as: entitlements) { _ in
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
    ///   - before: runs on an unlocked device with an empty keychain, and has the device, the app and its settings.
    ///   - afterwards: runs after the event, and has the device, the app and its settings as they are then.
    /// - Returns: what `afterwards` returns.
    /// - Throws: what the closures throw, and `VirtualDeviceError`.
    @discardableResult
    public func play<Result>(
        on platform: VirtualDevice.Platform = .iOS,
        as entitlements: Entitlements = Scenario.entitlements,
        _ before: (ScenarioWorld) throws -> Void,
        afterwards: (ScenarioWorld) throws -> Result
    ) throws -> Result {
        let world = try ScenarioWorld(self, on: platform, as: entitlements)
        try world.run { try before(world) }
        try world.letHappen()
        return try world.run { try afterwards(world) }
    }

    /// Runs code as an app while all is well, lets the event happen, and runs code as the app that it leaves behind.
    ///
    /// - Parameters:
    ///   - platform: what the device is.
    ///   - entitlements: the app's.
    ///   - isolation: where the closures run.
    ///   - before: runs on an unlocked device with an empty keychain.
    ///   - afterwards: runs after the event, on the device that the app is on then.
    /// - Returns: what `afterwards` returns.
    /// - Throws: what the closures throw, and `VirtualDeviceError`.
    @discardableResult
    public func play<Result>(
        on platform: VirtualDevice.Platform = .iOS,
        as entitlements: Entitlements = Scenario.entitlements,
        isolation: isolated (any Actor)? = #isolation,
        _ before: () async throws -> Void,
        afterwards: () async throws -> Result
    ) async throws -> Result {
        let world = try ScenarioWorld(self, on: platform, as: entitlements)
        try await world.run(isolation: isolation, before)
        try world.letHappen()
        return try await world.run(isolation: isolation, afterwards)
    }

    /// Runs code as an app while all is well, lets the event happen, and runs code as the app that it leaves behind.
    ///
    /// - Parameters:
    ///   - platform: what the device is.
    ///   - entitlements: the app's.
    ///   - isolation: where the closures run.
    ///   - before: runs on an unlocked device with an empty keychain, and has the device, the app and its settings.
    ///   - afterwards: runs after the event, and has the device, the app and its settings as they are then.
    /// - Returns: what `afterwards` returns.
    /// - Throws: what the closures throw, and `VirtualDeviceError`.
    @discardableResult
    public func play<Result>(
        on platform: VirtualDevice.Platform = .iOS,
        as entitlements: Entitlements = Scenario.entitlements,
        isolation: isolated (any Actor)? = #isolation,
        _ before: (ScenarioWorld) async throws -> Void,
        afterwards: (ScenarioWorld) async throws -> Result
    ) async throws -> Result {
        let world = try ScenarioWorld(self, on: platform, as: entitlements)
        try await world.run(isolation: isolation) { try await before(world) }
        try world.letHappen()
        return try await world.run(isolation: isolation) { try await afterwards(world) }
    }
}
