// SPDX-License-Identifier: Apache-2.0

import Security
import Testing

@testable import KeychainTesting

@Suite("Each scenario tells the usual wrong code from the right one")
struct ScenarioTests {
    /// The right code's protection: what the scenario is about, where it is about one.
    static func protection(in scenario: Scenario) -> Scenario.Protection {
        switch scenario {
        case .passcodeRemoved: .whenPasscodeSet
        case .biometryReenrolled: .biometryCurrentSet
        case .restoredToNewDevice: .afterFirstUnlockThisDeviceOnly
        default: .afterFirstUnlock
        }
    }

    @Test("the right code passes", arguments: Scenario.all)
    func right(_ scenario: Scenario) throws {
        let failures = try ScenarioCheck.failures(in: scenario) { settings in
            CarefulKeeper(settings: settings, protection: Self.protection(in: scenario).attributes)
        }
        #expect(failures == [])
    }

    @Test("the usual wrong code fails, for the reason that the scenario names", arguments: Mistake.all)
    func wrong(_ mistake: Mistake) throws {
        #expect(
            try ScenarioCheck.failures(in: mistake.scenario) { mistake.keeper.init(settings: $0) } == mistake.failures
        )
    }

    @Test("the usual wrong code passes where nothing happens, which is why it is usual", arguments: Mistake.all)
    func wrongInPeace(_ mistake: Mistake) throws {
        let world = try ScenarioWorld(mistake.scenario)
        try world.run {
            try mistake.keeper.init(settings: world.defaults).save("first")
            let launched = mistake.keeper.init(settings: world.defaults)
            #expect(try launched.load() == "first")
            #expect(try launched.isSignedIn)
            try launched.save("second")
            #expect(try launched.load() == "second")
        }
    }

    @Test("every scenario has a mistake that it finds")
    func complete() {
        #expect(Set(Mistake.all.map(\.scenario)) == Set(Scenario.all))
        #expect(Set(Scenario.all.map(\.name)).count == Scenario.all.count)
        #expect(Scenario.all.count == Scenario.Event.allCases.count)
    }
}

/// Wrong code, and what a test in a scenario says of it.
struct Mistake: Sendable, CustomTestStringConvertible {
    let scenario: Scenario
    let keeper: any (TokenKeeper & SendableMetatype).Type
    let failures: [String]

    var testDescription: String { "\(keeper) \(scenario)" }

    static let all = [
        Mistake(
            scenario: .lockedInBackground,
            keeper: DeletingKeeper.self,
            failures: ["signed out while locked", "the token is lost"]
        ),
        Mistake(
            scenario: .beforeFirstUnlock,
            keeper: CleaningKeeper.self,
            failures: ["signed out while locked", "the token is lost"]
        ),
        Mistake(
            scenario: .duplicateThroughNonKeyAttribute,
            keeper: GenericKeeper.self,
            failures: ["a sign-in is not kept"]
        ),
        Mistake(scenario: .entitlementRemoved, keeper: ConstantGroupKeeper.self, failures: ["a sign-in is not kept"]),
        Mistake(scenario: .teamChanged, keeper: ConstantGroupKeeper.self, failures: ["a sign-in is not kept"]),
        Mistake(scenario: .passcodeRemoved, keeper: PasscodeKeeper.self, failures: ["a sign-in is not kept"]),
        Mistake(scenario: .biometryReenrolled, keeper: BiometricKeeper.self, failures: ["a sign-in is not kept"]),
        Mistake(scenario: .restoredToNewDevice, keeper: FlagKeeper.self, failures: ["signed in without a token"]),
        Mistake(
            scenario: .freshInstallWithLeftovers,
            keeper: TrustingKeeper.self,
            failures: ["somebody else is signed in"]
        ),
    ]
}
