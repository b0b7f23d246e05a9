// SPDX-License-Identifier: Apache-2.0

import Foundation
import Keychain
import KeychainTesting
import Security
import Testing

@Suite("Changes are announced", .keychain(entitlements: .grouped))
struct ChangesTests {
    private let token = GenericPassword(service: "com.example.login", account: "ada")
    private let plain = Protection.accessible(.whenUnlocked)

    private func describe(_ change: KeychainChange?) -> String {
        switch change {
        case .added(let item): "added \(item)"
        case .set(let item): "set \(item)"
        case .updated(let item, let now): "updated \(item) \(now)"
        case .deleted(let item): "deleted \(item)"
        case .deletedAll(let itemClass, let selection): "deletedAll \(itemClass) \(selection)"
        case .changedElsewhere(let itemClass, let group): "elsewhere \(itemClass) \(group)"
        case .missed(let count): "missed \(count.map { "\($0)" } ?? "of others")"
        case nil: "end"
        }
    }

    @Test("Every change, once, after it succeeded, without secrets", arguments: Way.allCases)
    func each(way: Way) async throws {
        let subject = try way.subject()
        let keychain = subject.keychain
        let (first, second) = (keychain.changes, keychain.changes)
        try await keychain.add("secret", for: token, protection: plain)
        await #expect(throws: KeychainItemError.self) {
            try await keychain.add("secret", for: token, protection: plain)
        }
        try await keychain.set("secret", for: token, protection: plain)
        _ = try await keychain.string(for: token)
        try await keychain.update(token, with: ItemUpdate(accessGroup: Entitlements.sharedGroup))
        try await keychain.update(token, with: ItemUpdate(data: Data()))
        try await keychain.delete(token)
        try await keychain.delete(token.inAccessGroup(Entitlements.sharedGroup))
        try await keychain.deleteAll(matching: .all(ofService: "nothing"))
        try await keychain.set("secret", for: token, protection: plain)
        try await keychain.deleteAll(matching: .everyGenericPassword)
        let moved = token.inAccessGroup(Entitlements.sharedGroup)
        let expected = [
            "added \(token)", "set \(token)", "updated \(token) \(moved)", "deleted \(moved)", "set \(token)",
            "deletedAll genericPassword every generic password",
        ]
        for changes in [first, second] {
            var iterator = changes.makeAsyncIterator()
            for change in expected { #expect(describe(await iterator.next()) == change) }
        }
    }

    @Test("One who is too slow is told how many changes are lost")
    func slow() async throws {
        let keychain = SystemKeychain()
        let changes = keychain.changes
        for number in 0..<300 {
            try await keychain.set("x", for: GenericPassword(service: "\(number)"), protection: plain)
        }
        var iterator = changes.makeAsyncIterator()
        #expect(describe(await iterator.next()) == "missed 44")
        #expect(describe(await iterator.next()) == "set \(GenericPassword(service: "44"))")
    }

    @Test("The iteration ends when its task is cancelled")
    func cancellation() async {
        let keychain = SystemKeychain()
        let task = Task {
            var count = 0
            for await _ in keychain.changes { count += 1 }
            return count
        }
        task.cancel()
        #expect(await task.value == 0)
    }

    @Test("Another device's changes, and another app's, are not seen")
    func others() async throws {
        let keychain = SystemKeychain()
        let changes = keychain.changes
        let device = try #require(App.current).device
        let others = [try VirtualDevice().install(.grouped), device.install("com.example.other")]
        for app in others { try app.run { try keychain.set("x", for: token, protection: plain) } }
        let memory = InMemoryKeychain(accessGroups: Entitlements.grouped.accessGroups)
        try await memory.set("x", for: token, protection: plain)
        try await keychain.set("x", for: GenericPassword(service: "mine"), protection: plain)
        var iterator = changes.makeAsyncIterator()
        #expect(describe(await iterator.next()) == "set \(GenericPassword(service: "mine"))")
    }

    @Test("Who waits is woken by the next change")
    func waiting() async throws {
        let keychain = SystemKeychain()
        let changes = keychain.changes
        async let next: KeychainChange? = {
            var iterator = changes.makeAsyncIterator()
            return await iterator.next()
        }()
        try await keychain.set("x", for: token, protection: plain)
        #expect(describe(await next) == "set \(token)")
    }
}
