// SPDX-License-Identifier: Apache-2.0

import KeychainTesting
import Security
import Testing

@Suite("The contract tells the field's mocks from a keychain")
struct MockTests {
    @Test("a dictionary by account breaks these rules, and no other")
    func accountDictionary() throws {
        let broken = try KeychainContract.violations(of: AccountDictionaryMock()).map(\.rule.name)
        #expect(Set(KeychainContract.secItemRules.map(\.name)).subtracting(broken) == Self.keptByAccountDictionary)
        #expect(broken.count >= 8)
    }

    @Test("a list that is matched by all attributes breaks these rules, and no other")
    func attributeList() throws {
        let broken = try KeychainContract.violations(of: AttributeListMock()).map(\.rule.name)
        #expect(Set(broken) == Self.brokenByAttributeList)
    }

    @Test("an add that replaces and an update that adds break these rules, and no other")
    func upserting() throws {
        let broken = try KeychainContract.violations(of: UpsertingMock()).map(\.rule.name)
        #expect(Set(KeychainContract.secItemRules.map(\.name)).subtracting(broken) == Self.keptByUpserting)
    }

    @Test("a mock that does not say so is not called from several threads")
    func notRun() throws {
        let report = try KeychainContract.report(of: UpsertingMock())
        #expect(report.notRun.map(\.missing) == [.concurrency, .device, .device, .device])
        #expect(report.kept.count + report.violations.count + 4 == KeychainContract.secItemRules.count)
    }

    private static let keptByAccountDictionary: Set = [
        "account makes an item", "key without separators", "free again after a delete", "no match is an error",
        "data alone is data", "the secret does not filter", "the secret comes back bit by bit",
        "an empty secret is a secret", "one of many adds wins", "update to its own key is none", "update to no bytes",
        "a locked item is not absent", "an add while locked is refused", "a delete works while locked",
    ]

    private static let brokenByAttributeList: Set = [
        "bytes count, not characters", "text and data are the same key", "an absent key attribute is empty",
        "other data is a duplicate", "label makes no item", "generic attribute makes no item",
        "comment and description make no item", "accessibility makes no item", "a refused add changes nothing",
        "update onto another item is refused", "update changes all matches", "delete takes all matches",
        "an array for all", "as many as the limit", "no match is an error", "the secret only when asked",
        "no flag, no result", "add returns what is asked for", "synchronizable items only when asked",
        "the secret is data", "attributes keep their type", "numerals become numbers", "dates are set",
        "an update moves the modification date", "accessible when unlocked unless said", "defaults come back",
        "an access group of its own accord", "no access group is the default one", "a foreign access group is refused",
        "class is required",
        "class is one of Apple's", "attributes of the class alone", "null is no value",
        "an update takes attributes alone", "an update's query returns nothing", "a delete has no limit",
        "a persistent reference finds its item", "a persistent reference outlives updates",
        "a persistent reference dies with its item", "a delete takes synchronizable items only when asked",
        "a flag of false is none", "an update changes synchronizable items only when asked",
        "an update makes an item synchronizable", "no access group is all of them",
        "update of many to one key is refused",
    ]

    private static let keptByUpserting: Set = [
        "account makes an item", "an empty secret is a secret", "attributes find the item again", "case counts",
        "class makes an item", "data alone is data", "delete of nothing is refused", "free again after a delete",
        "key without separators", "no match is an error", "no secret is no data", "one of many adds wins",
        "service makes an item", "the secret comes back bit by bit", "the secret does not filter",
        "update keeps what it does not name", "whole values match", "update changes the accessibility",
        "update to its own key is none", "update to no bytes", "an update leaves the others",
        "a locked item is not absent", "an add while locked is refused", "a delete works while locked",
    ]
}
