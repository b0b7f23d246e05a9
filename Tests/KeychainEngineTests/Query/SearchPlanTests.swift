// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainProtection
import KeychainStore
import KeychainTestSupport
import Testing

@testable import KeychainEngine

/// A query as the terms of a search.
struct SearchPlanTests {
    private static let client = Client(accessGroups: ["TEAMID.own", "TEAMID.shared"])
    private static let legacyReference = SecretBytes(Array("genp".utf8) + [0, 0, 0, 0, 0, 0, 0, 1])
    private static let identifier = ItemIdentifier(Array(0..<16))

    private static func plan(_ dictionary: PropertyDictionary) throws -> SearchPlan {
        let request = try ItemRequest(function: .copyMatching, client: client, dictionary: dictionary).checked()
        return SearchPlan(query: request.query, groups: request.groups.readable, destroyedGeneration: nil)
    }

    @Test(
        "a query has the terms that its keys name, and those that it does not name",
        arguments: [
            ([:], ["class", "sync", "agrp"]),
            (["acct": .string("a"), "labl": .string("l")], ["class", "acct", "labl", "sync", "agrp"]),
            (["agrp": .string("TEAMID.own")], ["class", "agrp", "sync"]),
            (["sync": .string(PropertyKey.synchronizableAny)], ["class", "agrp"]),
            (["sync": .boolean(true)], ["class", "sync", "agrp"]),
            (["pdmn": .string("ck")], ["class", "pdmn", "sync", "agrp"]),
            (["tomb": .number(.integer(0))], ["class", "tomb", "sync", "agrp"]),
            (
                [PropertyKey.matchTrustedOnly: .boolean(true), PropertyKey.matchLimit: .string("m_LimitAll")],
                ["class", "sync", "agrp", "m_TrustedOnly"]
            ),
        ] as [([String: PropertyValue], [String])]
    )
    func keys(_ entries: [String: PropertyValue], _ keys: [String]) throws {
        let dictionary = PropertyDictionary(entries.merging(["class": .string("genp")]) { $1 })
        #expect(try Self.plan(dictionary).terms.map(\.key) == keys)
    }

    @Test("each term says what it asks for")
    func terms() throws {
        let plan = try Self.plan([
            "class": .string("inet"), "port": .string("80"), "m_HostOrSubdomainOfHost": .string("a"),
        ])
        #expect(
            plan.terms == [
                .itemClass(.internetPassword), .attribute("port", .number(.integer(80))),
                .attribute(.synchronizable, .number(.integer(0))), .accessGroups(Self.client.accessGroups),
                .contents(.hostOrSubdomain("a")),
            ]
        )
    }

    @Test("an access control is no condition, and turns that on the accessibility off")
    func accessControl() throws {
        let level: PropertyDictionary = ["class": .string("genp"), "pdmn": .string("ak")]
        #expect(try Self.plan(level).terms.contains(.protection("ak")))
        var both = level
        both["accc"] = .accessControl(AccessControl(synthesizedFor: .whenUnlocked))
        let terms = try Self.plan(both).terms
        #expect(terms.contains(.ignored(.accessControl)) && terms.contains(.ignored(.accessible)))
    }

    @Test("a persistent reference covers items of either kind")
    func reference() throws {
        let identifier = try #require(Self.identifier)
        let bytes = identifier.persistentReference(of: .genericPassword)
        let plan = try Self.plan([PropertyKey.valuePersistentReference: .data(bytes)])
        #expect(
            plan.terms == [
                .itemClass(.genericPassword), .identifier(identifier), .accessGroups(Self.client.accessGroups),
            ]
        )
    }

    @Test(
        "a term that nothing meets says so",
        arguments: [
            (["tomb": .number(.integer(1))], "tomb"),
            (["musr": .data(SecretBytes([1]))], "musr"),
            (["v_PersistentRef": .data(legacyReference)], "v_PersistentRef"),
        ] as [([String: PropertyValue], String)]
    )
    func nothing(_ entries: [String: PropertyValue], _ key: String) throws {
        let keychain = EmbeddedKeychain.inMemory()
        let plan = try Self.plan(PropertyDictionary(entries.merging(["class": .string("genp")]) { $1 }))
        let impossible = plan.terms.compactMap { if case .nothing(let key, _) = $0 { key } else { nil } }
        #expect(impossible == [key])
        let selection = try Self.read(keychain) { plan.selection($0.tags) }
        guard case .nothing(let term) = selection else {
            Issue.record("rows can match")
            return
        }
        #expect(term.key == key)
        #expect(selection.absence.status == .itemNotFound)
        #expect(selection.absence.reason != "no item matches")
    }

    @Test("each term can be counted alone, and all but one")
    func counts() throws {
        let keychain = EmbeddedKeychain.inMemory()
        for (account, label, group) in [
            ("a", "x", "TEAMID.own"), ("b", "x", "TEAMID.own"), ("a", "y", "TEAMID.shared"), ("c", "x", "TEAMID.other"),
        ] {
            let item: PropertyDictionary = [
                "class": .string("genp"), "acct": .string(account), "labl": .string(label), "agrp": .string(group),
            ]
            let owner = Client(accessGroups: [group])
            _ = try keychain.perform(KeychainRequest(.add(item), client: owner))
        }
        let plan = try Self.plan(["class": .string("genp"), "acct": .string("a"), "labl": .string("x")])
        let terms = plan.terms
        let alone = try terms.map { try Self.count([$0], keychain) }
        #expect(terms.map(\.key) == ["class", "acct", "labl", "sync", "agrp"])
        #expect(alone == [4, 2, 3, 4, 3])
        let allBut = try terms.map { left in try Self.count(terms.filter { $0 != left }, keychain) }
        #expect(allBut == [1, 2, 2, 1, 1])
        #expect(try Self.count(terms, keychain) == 1)
        let rows = try Self.read(keychain) { (transaction) throws(KeychainError) in
            try transaction.rows(plan.selection(transaction.tags))
        }
        #expect(rows.count == 1)
    }

    private static func count(_ terms: [SearchTerm], _ keychain: EmbeddedKeychain) throws -> Int {
        try read(keychain) { (transaction) throws(KeychainError) in
            var selection = RowSelection.rows(RowFilter(.genericPassword))
            for term in terms { selection.narrow(by: term, transaction.tags) }
            return try selection.filter.map { (filter) throws(KeychainError) in
                try transaction.rows.count(filter, limit: .max)
            } ?? 0
        }
    }

    private static func read<Result>(
        _ keychain: EmbeddedKeychain,
        _ body: (ItemTransaction) throws(KeychainError) -> Result
    ) throws -> Result {
        let request = try ItemRequest(function: .copyMatching, client: client, dictionary: ["class": .string("genp")])
            .checked()
        let authorization = Authorization(keychain.evaluator)
        return try keychain.withEngine { (engine) throws(KeychainError) in
            try engine.readItems(for: request, authorization, body)
        }
    }
}
