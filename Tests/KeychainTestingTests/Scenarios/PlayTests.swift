// SPDX-License-Identifier: Apache-2.0

import KeychainTesting
import Security
import Synchronization
import Testing

@Suite("A scenario is played")
struct PlayTests {
    @Test("code runs as the app before and after, and the closures' result comes out", arguments: Scenario.all)
    func order(_ scenario: Scenario) throws {
        var steps: [String] = []
        let result = try scenario.play { world in
            #expect(App.current === world.app && world.app === world.firstApp)
            #expect(world.device.lockState == .unlocked && !world.hasHappened)
            steps.append("before")
        } afterwards: { world in
            #expect(App.current === world.app && world.hasHappened)
            steps.append("afterwards")
            return 42
        }
        #expect(steps == ["before", "afterwards"] && result == 42)
    }

    @Test("closures without a world, and an error that comes out")
    func plain() throws {
        struct Wrong: Error {}
        try Scenario.teamChanged.play {
            #expect(Calls.add("t", Calls.item) == errSecSuccess)
        } afterwards: {
            #expect(Calls.read(Calls.item).status == errSecItemNotFound)
        }
        #expect(throws: Wrong.self) {
            try Scenario.teamChanged.play {
                throw Wrong()
            } afterwards: {
            }
        }
    }

    @Test("a failure in a play is told with the story, the advice and the calls")
    func failure() async throws {
        let told = Texts()
        try withKnownIssue {
            try Scenario.lockedInBackground.play {
                #expect(Calls.add("t", Calls.item) == errSecSuccess)
            } afterwards: {
                #expect(Calls.read(Calls.item).status == errSecSuccess)
            }
        } matching: {
            told.observe($0)
        }
        try await withKnownIssue {
            try await Scenario.restoredToNewDevice.play {
                #expect(Calls.add("t", Calls.item) == errSecSuccess)
            } afterwards: {
                await Task.yield()
                #expect(Calls.add("t", Calls.item) == errSecSuccess)
            }
        } matching: {
            told.observe($0)
        }
        let texts = told.all.filter { $0.contains("The scenario") }
        #expect(texts.count == 2)
        for (text, scenario) in zip(texts, [Scenario.lockedInBackground, .restoredToNewDevice]) {
            #expect(text.contains(scenario.story) && text.contains(scenario.advice))
            #expect(text.contains("1. SecItemAdd {"))
        }
        #expect(texts.first?.contains("errSecInteractionNotAllowed") == true)
        #expect(texts.last?.contains("and on the new one:\n1. SecItemAdd") == true)
    }

    private final class Texts: Sendable {
        private let texts = Mutex<[String]>([])

        var all: [String] { texts.withLock(\.self) }

        func observe(_ issue: Issue) -> Bool {
            texts.withLock { $0 += issue.comments.map(\.rawValue) }
            return true
        }
    }

    @MainActor @Test("asynchronous code stays on its actor")
    func isolated() async throws {
        var steps = 0
        try await Scenario.lockedInBackground.play {
            MainActor.assertIsolated()
            await Task.yield()
            #expect(Calls.add("t", Calls.item) == errSecSuccess)
            steps += 1
        } afterwards: {
            MainActor.assertIsolated()
            await Task.yield()
            #expect(Calls.read(Calls.item).status == errSecInteractionNotAllowed)
            steps += 1
        }
        #expect(steps == 2)
    }

    @Test("the event happens once, when the test says so")
    func steps() async throws {
        let world = try ScenarioWorld(.passcodeRemoved)
        #expect(world.expectation(for: .whenPasscodeSet) == .isThere)
        try world.triggerEvent()
        try world.triggerEvent()
        #expect(world.device.passcode == nil)
        #expect(world.expectation(for: .whenPasscodeSet) == .isGone)
        await world.run {
            await Task.yield()
            #expect(App.current === world.app)
        }
    }

    @Test("settings are removed with the app, restored by a backup, and private to the app")
    func settings() throws {
        for scenario in Scenario.all {
            let world = try ScenarioWorld(scenario)
            let defaults = world.defaults
            defaults.set(true, forKey: "flag")
            defaults.set(["a", "b"], forKey: "list")
            defaults.set(URL(string: "https://example.com"), forKey: "url")
            defaults.register(defaults: ["flag": false, "number": 7])
            #expect(defaults.bool(forKey: "flag") && defaults.integer(forKey: "number") == 7)
            #expect(defaults.stringArray(forKey: "list") == ["a", "b"])
            #expect(defaults.url(forKey: "url") == URL(string: "https://example.com"))
            defaults.removeObject(forKey: "list")
            #expect(world.defaults.object(forKey: "list") == nil)
            try world.triggerEvent()
            #expect(world.defaults.bool(forKey: "flag") == (scenario != .freshInstallWithLeftovers))
            #expect(UserDefaults.standard.object(forKey: "flag") == nil)
        }
    }
}
