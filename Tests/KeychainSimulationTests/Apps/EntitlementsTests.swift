// SPDX-License-Identifier: Apache-2.0

import KeychainSimulation
import Testing

@Suite("Entitlements are what a signature could hold")
struct EntitlementsTests {
    @Test("groups count in the order of the specification, each once, and that of tokens last")
    func order() {
        let entitlements = Entitlements(
            team: "TEAM000001",
            bundleIdentifier: "com.example.app",
            keychainAccessGroups: ["com.apple.token", "b", "a", "b"],
            applicationGroups: ["group.one"]
        )
        #expect(
            entitlements.accessGroups == [
                "TEAM000001.b", "TEAM000001.a", "TEAM000001.com.example.app", "group.one", "com.apple.token",
            ]
        )
    }

    static let wrong: [(Entitlements, String)] = [
        (Entitlements(team: "TEAM.1", bundleIdentifier: "com.example"), "the team"),
        (Entitlements(team: "", bundleIdentifier: "com.example"), "the team"),
        (Entitlements(team: "TEAM", bundleIdentifier: "com example"), "the bundle identifier"),
        (Entitlements(team: "TEAM", bundleIdentifier: ""), "the bundle identifier"),
        (Entitlements(team: "TEAM", bundleIdentifier: "TEAM.com.example"), "the team's prefix"),
        (group("TEAM.shared"), "the team's prefix"), (group("$(AppIdentifierPrefix)shared"), "a build variable"),
        (group("*"), "no name"), (group(""), "no name"), (applicationGroup("example"), "does not begin with group."),
        (applicationGroup("group."), "does not begin with group."), (applicationGroup("TEAM.one"), "does not begin"),
    ]

    @Test("what cannot be signed is named", arguments: wrong)
    func problems(entitlements: Entitlements, problem: String) throws {
        let found = try #require(entitlements.problems().first)
        #expect(found.contains(problem))
    }

    @Test("what can be signed has no problem; a Mac has app groups with the team's prefix, too")
    func noProblems() {
        #expect(Entitlements.example.problems().isEmpty)
        #expect(Self.group("shared").problems().isEmpty)
        #expect(Self.group("com.apple.token").problems().isEmpty)
        #expect(Self.applicationGroup("group.example").problems().isEmpty)
        #expect(Self.applicationGroup("TEAM.one").problems(on: .macOS).isEmpty)
    }

    private static func group(_ name: String) -> Entitlements {
        Entitlements(team: "TEAM", bundleIdentifier: "com.example", keychainAccessGroups: [name])
    }

    private static func applicationGroup(_ name: String) -> Entitlements {
        Entitlements(team: "TEAM", bundleIdentifier: "com.example", applicationGroups: [name])
    }
}
