// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainEngine
import Testing

/// Which term of a search ruled out which item.
struct ExplainedTermTests {
    /// The items of every case, by a name that is their label.
    private static let items: [(name: String, group: String, entries: [String: PropertyValue])] = [
        ("plain", "TEAMID.own", ["class": .string("genp"), "acct": .string("anna"), "svce": .string("mail")]),
        ("capital", "TEAMID.own", ["class": .string("genp"), "acct": .string("Anna"), "svce": .string("mail")]),
        ("shared", "TEAMID.shared", ["class": .string("genp"), "acct": .string("anna"), "svce": .string("mail")]),
        ("foreign", "TEAMID.foreign", ["class": .string("genp"), "acct": .string("anna"), "svce": .string("mail")]),
        (
            "synced", "TEAMID.own",
            ["class": .string("genp"), "acct": .string("anna"), "svce": .string("mail"), "sync": .boolean(true)]
        ),
        (
            "server", "TEAMID.own",
            ["class": .string("inet"), "acct": .string("anna"), "srvr": .string("mail.example.com")]
        ),
        (
            "level", "TEAMID.own",
            ["class": .string("genp"), "acct": .string("bert"), "svce": .string("mail"), "pdmn": .string("ck")]
        ),
    ]

    private static let client = Client(accessGroups: ["TEAMID.own", "TEAMID.shared"])

    private static func keychain() throws -> EmbeddedKeychain {
        let keychain = EmbeddedKeychain.inMemory()
        for (name, group, entries) in items {
            var item = PropertyDictionary(entries)
            item["labl"] = .string(name)
            item["v_Data"] = .data(SecretBytes(Array("a secret".utf8)))
            _ = try keychain.perform(KeychainRequest(.add(item), client: Client(accessGroups: [group])))
        }
        return keychain
    }

    /// A query, and for each candidate of the owner the keys of the terms that it fails.
    struct Row: Sendable {
        var query: [String: PropertyValue]
        var failed: [String: [String]]
    }

    private static let rows: [Row] = [
        Row(
            query: ["class": .string("genp"), "acct": .string("anna")],
            failed: [
                "plain": [], "capital": ["acct"], "shared": [], "foreign": ["agrp"], "synced": ["sync"],
                "server": ["class"],
            ]
        ),
        Row(
            query: ["class": .string("genp"), "acct": .string("anna"), "labl": .string("none")],
            failed: [
                "plain": ["labl"], "capital": ["acct", "labl"], "shared": ["labl"], "foreign": ["agrp", "labl"],
                "synced": ["labl", "sync"], "server": ["class", "labl"],
            ]
        ),
        Row(
            query: ["class": .string("genp"), "acct": .string("anna"), "agrp": .string("TEAMID.shared")],
            failed: [
                "plain": ["agrp"], "capital": ["acct", "agrp"], "shared": [], "foreign": ["agrp"],
                "synced": ["agrp", "sync"], "server": ["agrp", "class"],
            ]
        ),
        Row(
            query: [
                "class": .string("inet"), "srvr": .string("mail.example.com"), "m_HostOrSubdomainOfHost": .string("x"),
            ],
            failed: ["server": ["m_HostOrSubdomainOfHost"]]
        ),
        Row(query: ["class": .string("genp"), "pdmn": .string("ck")], failed: ["level": []]),
        Row(
            query: ["class": .string("genp"), "svce": .string(" MAIL ")],
            failed: [
                "plain": ["svce"], "capital": ["svce"], "shared": ["svce"], "foreign": ["agrp", "svce"],
                "synced": ["svce", "sync"], "level": ["svce"],
            ]
        ),
        Row(query: ["class": .string("cert")], failed: [:]),
        Row(query: ["class": .string("genp"), "acct": .string("nobody")], failed: [:]),
    ]

    private static func explain(
        _ query: [String: PropertyValue],
        options: ExplanationOptions = ExplanationOptions(scope: .owner),
        in keychain: EmbeddedKeychain
    ) throws -> ExplainedSearch {
        let call = KeychainRequest(.copyMatching(PropertyDictionary(query)), client: client)
        return try #require(try keychain.explain(ExplanationRequest(call, options)).search)
    }

    private static func failures(_ search: ExplainedSearch) -> [String: [String]] {
        var failures: [String: [String]] = [:]
        for item in search.candidates { failures[item.name] = item.failed.map { search.terms[$0].key }.sorted() }
        return failures
    }

    @Test("the owner sees which terms each item fails", arguments: rows.indices)
    func owner(_ index: Int) throws {
        let row = Self.rows[index]
        let search = try Self.explain(row.query, options: ExplanationOptions(scope: .owner), in: Self.keychain())
        #expect(Self.failures(search) == row.failed)
        #expect(search.population == [.genericPassword: 6, .internetPassword: 1])
    }

    @Test("a client sees the same of the items in its groups, and no count of others", arguments: rows.indices)
    func client(_ index: Int) throws {
        let row = Self.rows[index]
        let search = try Self.explain(row.query, options: ExplanationOptions(), in: Self.keychain())
        #expect(Self.failures(search) == row.failed.filter { $0.key != "foreign" })
        #expect(search.population == [.genericPassword: 5, .internetPassword: 1])
        #expect(search.patterns.reduce(0) { $0 + $1.count } == 6)
    }

    @Test("how many items each term rules out, and how many it rules out alone")
    func counts() throws {
        let query: [String: PropertyValue] = [
            "class": .string("genp"), "acct": .string("anna"), "svce": .string("mail"),
        ]
        let search = try Self.explain(query, options: ExplanationOptions(scope: .owner), in: Self.keychain())
        #expect(search.terms.map(\.key) == ["class", "acct", "svce", "sync", "agrp"])
        #expect(search.terms.map(\.ruledOut) == [1, 2, 0, 1, 1])
        #expect(search.terms.map(\.ruledOutAlone) == [1, 2, 0, 1, 1])
        #expect(search.matchCount == 2)
        #expect(search.terms.map(\.isGiven) == [true, true, true, false, false])
    }

    @Test("a list is bounded and says so, and counts are of all")
    func bound() throws {
        let keychain = EmbeddedKeychain.inMemory()
        for number in 0..<40 {
            let item: PropertyDictionary = [
                "class": .string("genp"), "acct": .string("\(number)"), "svce": .string("mail"),
                "labl": .string("\(number)"),
            ]
            _ = try keychain.perform(KeychainRequest(.add(item), client: Self.client))
        }
        let query: [String: PropertyValue] = ["class": .string("genp"), "acct": .string("7"), "svce": .string("mail")]
        let search = try Self.explain(query, options: ExplanationOptions(scope: .owner, itemLimit: 3), in: keychain)
        #expect(search.candidates.map(\.name) == ["7", "0", "1"])
        #expect(search.isBounded)
        #expect(search.patterns.map(\.count) == [39, 1])
        let none = try Self.explain(query, options: ExplanationOptions(scope: .owner, itemLimit: 0), in: keychain)
        #expect(none.candidates.isEmpty && none.isBounded && none.matchCount == 1)
    }

    @Test(
        "an item that shows the same text is found without opening all, and one in an odd mixture of letters by opening them"
    )
    func formats() throws {
        let keychain = try Self.keychain()
        let query: [String: PropertyValue] = ["class": .string("genp"), "acct": .string("ANNA")]
        let guessed = try Self.explain(
            query,
            options: ExplanationOptions(scope: .owner, comparesEveryItem: false),
            in: keychain
        )
        #expect(!guessed.comparesEveryItem)
        #expect(Set(guessed.candidates.map(\.name)) == ["plain", "capital", "shared", "foreign", "synced", "server"])
        let odd: [String: PropertyValue] = ["class": .string("genp"), "labl": .string("cApItAl")]
        let unguessed = try Self.explain(
            odd,
            options: ExplanationOptions(scope: .owner, comparesEveryItem: false),
            in: keychain
        )
        #expect(unguessed.candidates.map(\.name) == ["capital"])
        let stored: PropertyDictionary = ["class": .string("genp"), "acct": .string("cArLa")]
        _ = try keychain.perform(KeychainRequest(.add(stored), client: Self.client))
        let mixed: [String: PropertyValue] = ["class": .string("genp"), "acct": .string("carla")]
        let missed = try Self.explain(
            mixed,
            options: ExplanationOptions(scope: .owner, comparesEveryItem: false),
            in: keychain
        )
        #expect(missed.candidates.isEmpty)
        let opened = try Self.explain(mixed, options: ExplanationOptions(scope: .owner), in: keychain)
        #expect(opened.comparesEveryItem && opened.candidates.count == 1)
    }
}

extension ExplainedItem {
    /// What the item is called in a test: its label.
    fileprivate var name: String {
        guard case .string(let label)? = attributes?[.label] else { return "" }
        return label
    }
}
