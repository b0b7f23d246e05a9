// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainTestSupport
import Synchronization
import Testing

@testable import SecurityTool

/// A search for the first item of the data protection keychain: which one that is, and how much is asked for.
struct FirstItemTests {
    private static let everyone = Client(accessGroups: [Client.commonGroup, "other", "third"])

    @Test("the first item is asked for with its copies in other groups, and not with all that match")
    func asksForOne() throws {
        let keychain = CountingKeychain(try TemporaryKeychain())
        for number in 0..<40 { try add("account \(number)", in: Client.commonGroup, to: keychain.keychain) }
        try add("account 0", in: "other", to: keychain.keychain)
        let store = store(keychain)
        let found = try store.first(.genericPassword, try conditions(["svce": .string("service")]))
        #expect(found?[.account] == .string("account 0"))
        #expect(keychain.count <= 3)
        #expect(try store.first(.genericPassword, try conditions(["svce": .string("another")])) == nil)
        #expect(keychain.count <= 3)
    }

    @Test("the first item is the first of all, whatever groups items are in and in whichever order they were changed")
    func isFirstOfAll() throws {
        let groups = [Client.commonGroup, "other", "third"]
        for seed in 0..<40 as Range<UInt64> {
            var random = SeededGenerator(seed: seed)
            let keychain = try TemporaryKeychain()
            for number in 0..<8 {
                let account = "\(Int.random(in: 0..<3, using: &random))"
                guard let group = groups.randomElement(using: &random) else { continue }
                // One that is there already is changed, so that it is the newest.
                do { try add(account, in: group, to: keychain) } catch {
                    try change(account, group: group, number: number, in: keychain)
                }
            }
            let store = store(keychain)
            let searches: [[String: PropertyValue]] = [
                [:], ["svce": .string("service")], ["acct": .string("1")], ["acct": .string("")],
            ]
            for values in searches {
                let conditions = try conditions(values)
                let first = try store.first(.genericPassword, conditions)
                let all = try store.items(.genericPassword, conditions)
                #expect(first?.attributes == all.first?.attributes, "seed \(seed), \(values)")
            }
        }
    }

    private func store(_ keychain: any KeychainBackend) -> UserKeychain {
        UserKeychain(backend: keychain, name: KeychainName(home: "/home/user"))
    }

    private func conditions(_ values: [String: PropertyValue]) throws -> Conditions {
        var conditions = Conditions()
        for (name, value) in values {
            conditions.set(try #require(AttributeName(name)), to: value, by: ItemSchema.of(.genericPassword))
        }
        return conditions
    }

    private func add(_ account: String, in group: String, to keychain: any KeychainBackend) throws {
        let item: PropertyDictionary = [
            "class": .string("genp"), "acct": .string(account), "svce": .string("service"), "agrp": .string(group),
            PropertyKey.valueData: .data(SecretBytes([1])),
        ]
        _ = try keychain.perform(KeychainRequest(.add(item), client: Self.everyone))
    }

    private func change(_ account: String, group: String, number: Int, in keychain: any KeychainBackend) throws {
        let query: PropertyDictionary = [
            "class": .string("genp"), "acct": .string(account), "svce": .string("service"), "agrp": .string(group),
        ]
        let changes: PropertyDictionary = ["icmt": .string("\(number)")]
        _ = try keychain.perform(KeychainRequest(.update(query, attributes: changes), client: Self.everyone))
    }
}

/// Counts the items that a keychain gives.
private final class CountingKeychain: KeychainBackend {
    let keychain: TemporaryKeychain
    private let values = Atomic(0)

    init(_ keychain: TemporaryKeychain) { self.keychain = keychain }

    var families: CommandFamily { keychain.families }

    var count: Int { values.load(ordering: .relaxed) }

    func carryOut(_ command: KeychainCommand) throws(KeychainError) -> KeychainReply {
        let reply = try keychain.perform(command)
        if case .answer(let answer) = reply { values.add(answer.values.count, ordering: .relaxed) }
        return reply
    }
}
