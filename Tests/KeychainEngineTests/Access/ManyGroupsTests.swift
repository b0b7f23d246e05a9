// SPDX-License-Identifier: Apache-2.0

import KeychainAuthenticators
import KeychainCore
import KeychainSimulation
import KeychainTestSupport
import Testing

/// Clients with more access groups than a statement of SQLite has parameters.
struct ManyGroupsTests {
    private static let groups = (0..<200_000).map { "group.\($0)" }

    @Test(
        "a client of 200,000 groups finds, changes and deletes what is in them, and nothing else",
        .timeLimit(.minutes(5))
    )
    func manyGroups() throws {
        let keychain = try TemporaryKeychain()
        var stranger = Calls(backend: keychain)
        stranger.client.accessGroups = ["group.elsewhere"]
        #expect(stranger.perform(.add(["class": .string("genp"), "acct": .string("stranger")])) == .done)
        var calls = Calls(backend: keychain)
        calls.client.accessGroups = Self.groups
        for group in ["group.0", "group.199999"] {
            let item: PropertyDictionary = ["class": .string("genp"), "acct": .string("own"), "agrp": .string(group)]
            #expect(calls.perform(.add(item)) == .done)
        }
        #expect(calls.copy(.every(.genericPassword) + .asAttributes).values.count == 2)
        let whole: [String: PropertyValue] = .one(.genericPassword) + ["acct": .string("own"), "svce": .string("")]
        #expect(calls.copy(whole + .asAttributes).dictionary?["agrp"] == .string("group.0"))
        #expect(calls.update(.one(.genericPassword), ["labl": .string("changed")]) == .done)
        #expect(stranger.copy(.every(.genericPassword) + .asAttributes).dictionary?["labl"] == nil)
        #expect(calls.delete(.one(.genericPassword)) == .done)
        #expect(calls.copy(.one(.genericPassword)) == .failed(.itemNotFound))
        #expect(stranger.copy(.one(.genericPassword)) == .done)
    }

    @Test("the groups of a list are the same as a few and as many", arguments: [1, 999, 1_000, 1_001])
    func boundary(_ count: Int) throws {
        var calls = Calls(backend: try TemporaryKeychain())
        calls.client.accessGroups = Array(Self.groups.prefix(count))
        let last = PropertyValue.string("group.\(count - 1)")
        #expect(calls.perform(.add(["class": .string("genp"), "agrp": last])) == .done)
        #expect(calls.copy(.every(.genericPassword) + .asAttributes).dictionary?["agrp"] == last)
        calls.client.accessGroups = Array(Self.groups[count..<2 * count])
        #expect(calls.copy(.every(.genericPassword)) == .failed(.itemNotFound))
    }
}
