// SPDX-License-Identifier: Apache-2.0

import KeychainTesting
import Security
import Testing

/// What a team's test would expect of its keeper in a scenario; a function that returns what is wrong, so that both the
/// right and the wrong code can be held against it.
enum ScenarioCheck {
    /// Signs in, lets the event happen, launches the app again, and uses it.
    static func failures(
        in scenario: Scenario,
        on platform: VirtualDevice.Platform = .iOS,
        of keeper: (UserDefaults) -> any TokenKeeper
    ) throws -> [String] {
        try scenario.play(on: platform) { world in
            try keeper(world.defaults).save("first")
        } afterwards: { world in
            switch scenario {
            case .lockedInBackground, .beforeFirstUnlock: try whileLocked(world, keeper)
            case .freshInstallWithLeftovers: try asSomebodyElse(world, keeper)
            default: try signingInAgain(world, keeper)
            }
        }
    }

    /// A background launch that reads, saves, and lets the owner unlock.
    private static func whileLocked(
        _ world: ScenarioWorld,
        _ keeper: (UserDefaults) -> any TokenKeeper
    ) throws -> [String] {
        var failures: [String] = []
        var expected = "first"
        let launched = keeper(world.defaults)
        if case .success(nil) = Result(catching: { try launched.load() }) {
            failures.append("signed out while locked")
        }
        if case .success = Result(catching: { try launched.save("second") }) { expected = "second" }
        try world.device.unlock()
        if try keeper(world.defaults).load() != expected { failures.append("the token is lost") }
        return failures
    }

    /// A launch of a new installation.
    private static func asSomebodyElse(
        _ world: ScenarioWorld,
        _ keeper: (UserDefaults) -> any TokenKeeper
    ) throws -> [String] {
        let launched = keeper(world.defaults)
        let isSignedIn = try launched.isSignedIn
        let signingIn = try signingInAgain(world, keeper)
        return (isSignedIn ? ["somebody else is signed in"] : []) + signingIn
    }

    /// A launch, and a sign-in that has to be kept for the next launch.
    private static func signingInAgain(
        _ world: ScenarioWorld,
        _ keeper: (UserDefaults) -> any TokenKeeper
    ) throws -> [String] {
        var failures: [String] = []
        let launched = keeper(world.defaults)
        if try launched.isSignedIn != (launched.load() != nil) { failures.append("signed in without a token") }
        let isSaved: Bool
        do {
            try launched.save("second")
            isSaved = true
        } catch { isSaved = false }
        let token = try keeper(world.defaults).load()
        if isSaved, token != "second" { failures.append("a sign-in is not kept") }
        return failures
    }
}
