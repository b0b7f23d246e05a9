// SPDX-License-Identifier: Apache-2.0

import KeychainAuthenticators
import KeychainCore
import KeychainEngine
import KeychainTestSupport
import Testing

/// An update makes new tags for what it changes, and for nothing else.
struct UpdatedTagsTests {
    private static let item: PropertyDictionary = [
        "class": .string("genp"), "acct": .string("caf\u{E9}"), "svce": .string("s"), "labl": .string("caf\u{E9}"),
        "icmt": .string("c"), "type": .number(.integer(1)), PropertyKey.valueData: .data(SecretBytes([1])),
    ]

    @Test(
        "an item is found by what it has after an update, and the store is sound",
        arguments: [
            ["labl": .string("new")], ["acct": .string("new")], ["svce": .data(SecretBytes([1]))],
            ["type": .string("2")], ["crtr": .number(.integer(3))], ["sync": .boolean(true)],
            ["cdat": .date(Timestamp(secondsSinceReferenceDate: -0.0))], ["agrp": .string("TEAMID.two")],
            // Equal for Swift, and other bytes.
            ["labl": .string("cafe\u{301}")], ["acct": .string("cafe\u{301}")],
            ["icmt": .string("new"), "svce": .string("new")], [:],
        ] as [[String: PropertyValue]]
    )
    func update(_ changes: [String: PropertyValue]) throws {
        let keychain = EmbeddedKeychain.inMemory()
        var calls = Calls(backend: keychain)
        calls.client.accessGroups = ["TEAMID.one", "TEAMID.two"]
        #expect(calls.perform(.add(Self.item)) == .done)
        #expect(calls.update(.one(.genericPassword), changes) == .done)
        let any: [String: PropertyValue] = .one(.genericPassword) + ["sync": .string(PropertyKey.synchronizableAny)]
        for (key, value) in changes {
            #expect(calls.copy(any + [key: value]) == .done, "\(key)")
            guard key != "sync", key != "agrp", let old = Self.item[key] else { continue }
            #expect(calls.copy(any + [key: old]) == .failed(.itemNotFound), "\(key)")
        }
        let unchanged = Self.item.entries.filter { changes[$0.key] == nil && $0.key != PropertyKey.valueData }
        #expect(calls.copy(any + unchanged.dictionary) == .done)
        #expect(try keychain.check().isSound)
    }
}
