// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainEngine
import KeychainTestSupport
import Testing

/// Searches that name the digest of an item, which has no search tag: items are opened for them.
struct DigestSearchTests {
    private static let client = TestStore.client
    private static let passcode = SecretBytes(Array("1234".utf8))

    private let store: TestStore
    private let keychain: EmbeddedKeychain

    init() throws {
        store = try TestStore()
        keychain = store.open()
        for (number, level) in ["ak", "dk", "ck"].enumerated() {
            let item: PropertyDictionary = [
                "class": .string("genp"), "acct": .string("\(number)"), "labl": .string("label"),
                "pdmn": .string(level),
                PropertyKey.valueData: .data(SecretBytes([UInt8(number)])),
            ]
            _ = try keychain.perform(KeychainRequest(.add(item), client: Self.client))
        }
    }

    private func digest(of account: String) throws -> PropertyValue {
        let query: PropertyDictionary = [
            "class": .string("genp"), "acct": .string(account), PropertyKey.returnAttributes: .boolean(true),
        ]
        let answer = try keychain.perform(KeychainRequest(.copyMatching(query), client: Self.client))
        guard case .single(.dictionary(let entries)) = answer else { throw KeychainError(.internal, "no item") }
        return try #require(entries["sha1"])
    }

    private func query(_ digest: PropertyValue, _ more: [String: PropertyValue] = [:]) -> PropertyDictionary {
        PropertyDictionary(["class": .string("genp"), "sha1": digest].merging(more) { $1 })
    }

    private func accounts(_ digest: PropertyValue, _ more: [String: PropertyValue] = [:]) throws -> [PropertyValue] {
        let flags: [String: PropertyValue] = [
            PropertyKey.returnAttributes: .boolean(true), PropertyKey.matchLimit: .string(PropertyKey.matchLimitAll),
        ]
        let request = KeychainRequest(.copyMatching(query(digest, more.merging(flags) { $1 })), client: Self.client)
        guard case .list(let values) = try keychain.perform(request) else { return [] }
        return values.compactMap { value in
            guard case .dictionary(let entries) = value else { return nil }
            return entries["acct"]
        }
    }

    private static let other = PropertyValue.data(SecretBytes([UInt8](repeating: 1, count: 20)))

    @Test("the item of a digest is found, also as the first, and none by another one")
    func copies() throws {
        for account in ["0", "1", "2"] {
            let digest = try digest(of: account)
            #expect(try accounts(digest) == [.string(account)])
            #expect(try accounts(digest, ["acct": .string(account), "svce": .string("")]) == [.string(account)])
            var first = query(digest)
            first[PropertyKey.returnData] = .boolean(true)
            let found = try keychain.perform(KeychainRequest(.copyMatching(first), client: Self.client))
            #expect(found == .single(.data(SecretBytes([UInt8(account) ?? 0]))))
            let otherAccount: [String: PropertyValue] = ["acct": .string("other"), "svce": .string("")]
            #expect(thrownStatus { _ = try accounts(digest, otherAccount) } == .itemNotFound)
        }
        #expect(thrownStatus { _ = try accounts(Self.other) } == .itemNotFound)
    }

    @Test("an update and a delete take the item of a digest, and no other")
    func changes() throws {
        let change: PropertyDictionary = ["labl": .string("new")]
        let update = try KeychainRequest(.update(query(digest(of: "1")), attributes: change), client: Self.client)
        _ = try keychain.perform(update)
        let changed: [String: PropertyValue] = ["labl": .string("new")]
        #expect(try accounts(digest(of: "1"), changed) == [.string("1")])
        #expect(thrownStatus { _ = try accounts(digest(of: "0"), changed) } == .itemNotFound)
        let none = KeychainRequest(.update(query(Self.other), attributes: change), client: Self.client)
        #expect(thrownStatus { _ = try keychain.perform(none) } == .itemNotFound)
        let deletion = try KeychainRequest(.delete(query(digest(of: "0"))), client: Self.client)
        _ = try keychain.perform(deletion)
        #expect(thrownStatus { _ = try keychain.perform(deletion) } == .itemNotFound)
        #expect(try accounts(digest(of: "2")) == [.string("2")])
    }

    @Test(
        "on a locked device an item that can be opened is found, and for want of it that another may be the one is told"
    )
    func locked() throws {
        let digests = try ["0", "1"].map(digest)
        try keychain.device.setPasscode(Self.passcode)
        try keychain.device.lock()
        #expect(try accounts(digests[1]) == [.string("1")])
        #expect(thrownStatus { _ = try accounts(digests[0]) } == .interactionNotAllowed)
        let deletion = KeychainRequest(.delete(query(digests[0])), client: Self.client)
        #expect(thrownStatus { _ = try keychain.perform(deletion) } == .interactionNotAllowed)
        try keychain.device.unlock(passcode: Self.passcode)
        #expect(try accounts(digests[0]) == [.string("0")])
    }

    @Test("an explanation judges the digest by the open item")
    func explained() throws {
        let request = try KeychainRequest(.copyMatching(query(digest(of: "1"))), client: Self.client)
        let explanation = try keychain.explain(ExplanationRequest(request, ExplanationOptions(scope: .owner)))
        let search = try #require(explanation.search)
        let index = try #require(search.terms.firstIndex { $0.key == "sha1" })
        #expect(search.terms[index].kind == .match && search.terms[index].value != nil)
        let failed = Dictionary(uniqueKeysWithValues: search.candidates.map { ($0.attributes?["acct"], $0.failed) })
        #expect(failed == [.string("0"): [index], .string("1"): [], .string("2"): [index]])
    }
}
