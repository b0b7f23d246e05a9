// SPDX-License-Identifier: Apache-2.0

import Foundation
import Keychain
import KeychainTesting
import Security
import Testing

@Suite("Items are stored, read, changed and deleted", .keychain(entitlements: .grouped))
struct LifeCycleTests {
    private let token = GenericPassword(service: "com.example.login", account: "ada")
    private let plain = Protection.accessible(.afterFirstUnlock)

    @Test("What is set is read, set again, and deleted", arguments: Way.allCases)
    func setAndRead(way: Way) throws {
        let keychain = try way.subject().keychain
        #expect(try keychain.string(for: token) == nil)
        #expect(try keychain.attributes(of: token) == nil)
        #expect(try !keychain.contains(token))
        try keychain.set("one", for: token, protection: plain)
        try keychain.set("two", for: token, protection: .accessible(.whenUnlocked))
        #expect(try keychain.string(for: token) == "two")
        #expect(try keychain.contains(token))
        #expect(try keychain.delete(token))
        #expect(try !keychain.delete(token))
        #expect(try keychain.data(for: token) == nil)
    }

    @Test("An add fails for an existing item, and names the conflicting attributes", arguments: Way.allCases)
    func duplicate(way: Way) throws {
        let keychain = try way.subject().keychain
        try keychain.add("one", for: token, protection: plain)
        let error = failure { () throws(KeychainItemError) in
            try keychain.add("two", for: token, protection: plain, details: ItemDetails(label: "another label"))
        }
        #expect(error?.isDuplicate == true)
        #expect(error?.status == -25299)
        #expect(error?.operation == .add)
        #expect(error?.item as? GenericPassword == token)
        #expect(error?.reason.contains("service, account, access group, synchronizability") == true)
        #expect(error?.description.contains("two") == false)
        #expect(try keychain.string(for: token) == "one")
    }

    @Test("The protection of a set is the protection afterwards", arguments: Way.allCases)
    func protection(way: Way) throws {
        let keychain = try way.subject().keychain
        let protections: [Protection] = [
            plain, .accessible(.whenUnlockedThisDeviceOnly),
            .guarded(.userPresence, accessible: .whenPasscodeSetThisDeviceOnly),
            .guarded(.biometryCurrentSet, accessible: .whenUnlocked), .guarded([], accessible: .whenUnlocked), plain,
            .accessible(.always),
        ]
        for protection in protections {
            try keychain.set("one", for: token, protection: protection)
            let attributes = try keychain.attributes(of: token, authentication: .allowed)
            #expect(attributes?.protection == protection)
            #expect(attributes?.accessibility == protection.accessibility)
        }
    }

    @Test("Contradictory constraints are refused, and nothing is stored", arguments: Way.allCases)
    func contradiction(way: Way) throws {
        let keychain = try way.subject().keychain
        let protection = Protection.guarded([.biometryAny, .biometryCurrentSet], accessible: .whenUnlocked)
        let added = failure { () throws(KeychainItemError) in
            try keychain.add("one", for: token, protection: protection)
        }
        #expect(added?.kind == .invalidRequest)
        let set = failure { () throws(KeychainItemError) in try keychain.set("one", for: token, protection: protection)
        }
        #expect(set?.kind == .invalidRequest)
        #expect(try !keychain.contains(token))
    }

    @Test("Details and dates are read; a set keeps the details that it does not give", arguments: Way.allCases)
    func details(way: Way) throws {
        let keychain = try way.subject().keychain
        let details = ItemDetails(label: "Login", kind: "token", comment: "none", generic: Data([1]))
        try keychain.add("one", for: token, protection: plain, details: details)
        let before = try #require(try keychain.attributes(of: token))
        #expect(before.details == details)
        #expect(before.key == token.inAccessGroup(Entitlements.defaultGroup).key)
        #expect(before.creationDate != nil && before.creationDate == before.modificationDate)
        try keychain.set("two", for: token, protection: plain, details: ItemDetails(label: "Another"))
        let after = try #require(try keychain.attributes(of: token))
        #expect(after.details == ItemDetails(label: "Another", kind: "token", comment: "none", generic: Data([1])))
        #expect(after.creationDate == before.creationDate)
        #expect(try #require(after.modificationDate) > #require(before.modificationDate))
    }

    @Test("An update changes an existing item, and reports a missing one", arguments: Way.allCases)
    func update(way: Way) throws {
        let keychain = try way.subject().keychain
        #expect(try !keychain.update(token, with: ItemUpdate(data: Data("one".utf8))))
        #expect(try !keychain.contains(token))
        try keychain.add("one", for: token, protection: plain)
        #expect(try keychain.update(token, with: ItemUpdate(protection: .accessible(.whenUnlocked))))
        #expect(try keychain.attributes(of: token)?.protection == .accessible(.whenUnlocked))
        #expect(try keychain.string(for: token) == "one")
        let moved = token.inAccessGroup(Entitlements.sharedGroup)
        #expect(try keychain.update(token, with: ItemUpdate(accessGroup: Entitlements.sharedGroup)))
        #expect(try keychain.string(for: token) == nil)
        #expect(try keychain.string(for: moved) == "one")
        try keychain.add("three", for: token, protection: plain)
        let error = failure { () throws(KeychainItemError) in
            try keychain.update(token, with: ItemUpdate(accessGroup: Entitlements.sharedGroup))
        }
        #expect(error?.isDuplicate == true)
        #expect(try keychain.string(for: token) == "three")
        #expect(try keychain.string(for: moved) == "one")
    }

    @Test("A group that the app may not use is named", arguments: Way.allCases)
    func foreignGroup(way: Way) throws {
        let keychain = try way.subject().keychain
        let foreign = token.inAccessGroup("OTHER.group")
        let calls: [() throws(KeychainItemError) -> Void] = [
            { () throws(KeychainItemError) in try keychain.set("one", for: foreign, protection: plain) },
            { () throws(KeychainItemError) in try keychain.add("one", for: foreign, protection: plain) },
            { () throws(KeychainItemError) in _ = try keychain.data(for: foreign) },
            { () throws(KeychainItemError) in _ = try keychain.contains(foreign) },
            { () throws(KeychainItemError) in try keychain.delete(foreign) },
        ]
        for call in calls {
            let error = failure(of: call)
            #expect(error?.isMissingEntitlement == true)
            #expect(error?.reason.contains("OTHER.group") == true)
        }
    }

    @Test("A listing finds what the selection says, and a deletion of many deletes it", arguments: Way.allCases)
    func many(way: Way) throws {
        let keychain = try way.subject().keychain
        let all = [
            token, GenericPassword(service: "com.example.login", account: "grace"),
            GenericPassword(service: "com.example.login", account: "ada", isSynchronizable: true),
            GenericPassword(service: "com.example.login", account: "ada", accessGroup: Entitlements.sharedGroup),
            GenericPassword(service: "com.example.other", account: "ada"),
        ]
        let selection = ItemSelection.all(ofService: "com.example.login")
        #expect(try keychain.items(matching: selection).isEmpty)
        #expect(try !keychain.deleteAll(matching: selection))
        for item in all { try keychain.set("one", for: item, protection: plain) }
        #expect(try keychain.items(matching: .everyGenericPassword).count == 5)
        let located = all.map { $0.inAccessGroup($0.accessGroup ?? Entitlements.defaultGroup) }
        #expect(Set(try keychain.items(matching: selection).map(\.item)) == Set(located.dropLast()))
        #expect(try keychain.items(matching: selection.synchronizable(true)).map(\.item) == [located[2]])
        let shared = selection.inAccessGroup(Entitlements.sharedGroup)
        #expect(try keychain.items(matching: shared).map(\.item) == [located[3]])
        #expect(try keychain.deleteAll(matching: shared))
        #expect(try keychain.items(matching: selection).count == 3)
        #expect(try keychain.deleteAll(matching: selection))
        #expect(try keychain.items(matching: .everyGenericPassword).map(\.item) == [located[4]])
    }
}
