// SPDX-License-Identifier: Apache-2.0

import Foundation
import Keychain
import KeychainTesting
import LocalAuthentication
import Security
import Testing

@Suite("What is locked or guarded is never absent", .keychain(entitlements: .grouped))
struct LockedTests {
    private let token = GenericPassword(service: "com.example.login", account: "ada")
    private let absent = GenericPassword(service: "com.example.login", account: "grace")
    private let guarded = Protection.guarded(.userPresence, accessible: .whenUnlocked)

    @Test("A locked item is an error to read, to set and to update, and is deleted", arguments: Way.allCases)
    func locked(way: Way) throws {
        let subject = try way.subject()
        let keychain = subject.keychain
        try keychain.set("one", for: token, protection: .accessible(.whenUnlocked))
        try subject.lock()
        let errors = [
            failure { () throws(KeychainItemError) in try keychain.data(for: token) },
            failure { () throws(KeychainItemError) in try keychain.attributes(of: token) },
            failure { () throws(KeychainItemError) in try keychain.data(for: token, authentication: .forbidden) },
            failure { () throws(KeychainItemError) in
                try keychain.set("two", for: token, protection: .accessible(.always))
            },
            failure { () throws(KeychainItemError) in
                try keychain.update(token, with: ItemUpdate(data: Data("two".utf8)))
            },
            failure { () throws(KeychainItemError) in
                try keychain.set("two", for: absent, protection: .accessible(.whenUnlocked))
            },
            failure { () throws(KeychainItemError) in try keychain.items(matching: .everyGenericPassword) },
        ]
        for error in errors {
            #expect(error?.isLocked == true, "\(String(describing: error))")
            #expect(error?.status == -25308)
        }
        #expect(try keychain.contains(token))
        #expect(try !keychain.contains(absent))
        #expect(try keychain.data(for: absent) == nil)
        try subject.unlock()
        #expect(try keychain.string(for: token) == "one")
        #expect(try keychain.items(matching: .everyGenericPassword).count == 1)
        #expect(try keychain.attributes(of: token)?.protection == .accessible(.whenUnlocked))
        try subject.lock()
        #expect(try keychain.delete(token))
    }

    @Test("What is accessible after the first unlock is set while the device is locked", arguments: Way.allCases)
    func background(way: Way) throws {
        let subject = try way.subject()
        try subject.keychain.set("one", for: token, protection: .accessible(.afterFirstUnlock))
        try subject.lock()
        try subject.keychain.set("two", for: token, protection: .accessible(.afterFirstUnlock))
        try subject.keychain.set("three", for: absent, protection: .accessible(.afterFirstUnlock))
        #expect(try subject.keychain.string(for: token) == "two")
    }

    @Test("A guarded item asks; what comes of it is told apart", arguments: Way.allCases)
    func guardedItem(way: Way) throws {
        let subject = try way.subject()
        let keychain = subject.keychain
        try keychain.set("one", for: token, protection: guarded)
        #expect(try keychain.string(for: token, authentication: .allowed) == "one")
        #expect(try keychain.string(for: token, authentication: .allowed("to log in")) == "one")
        subject.answer(.cancels)
        let cancelled = failure { () throws(KeychainItemError) in
            try keychain.data(for: token, authentication: .allowed)
        }
        #expect(cancelled?.isCancelled == true)
        subject.answer(.isAStranger)
        let stranger = failure { () throws(KeychainItemError) in
            try keychain.data(for: token, authentication: .allowed)
        }
        #expect(stranger?.kind == .authenticationFailed)
        let forbidden = failure { () throws(KeychainItemError) in
            try keychain.data(for: token)
        }
        #expect(forbidden?.needsAuthentication == true)
        #expect(forbidden?.isLocked == false)
        #expect(forbidden?.status == -25308)
        #expect(try keychain.contains(token))
    }

    @Test("A set does not replace a guarded item without authentication", arguments: Way.allCases)
    func guardedSet(way: Way) throws {
        let subject = try way.subject()
        let keychain = subject.keychain
        try keychain.set("one", for: token, protection: guarded)
        for (person, kind) in [
            (InMemoryKeychain.Person.cancels, KeychainItemError.Kind.cancelled),
            (.isAStranger, .authenticationFailed),
        ] {
            subject.answer(person)
            let error = failure { () throws(KeychainItemError) in
                try keychain.set("two", for: token, protection: .accessible(.whenUnlocked))
            }
            #expect(error?.kind == kind)
        }
        let forbidden = failure { () throws(KeychainItemError) in
            try keychain.set("two", for: token, protection: .accessible(.whenUnlocked), authentication: .forbidden)
        }
        #expect(forbidden?.needsAuthentication == true)
        subject.answer(.agrees)
        #expect(try keychain.string(for: token, authentication: .allowed) == "one")
        #expect(try keychain.attributes(of: token, authentication: .allowed)?.protection == guarded)
    }

    @Test("What was shown in a context is not asked for again")
    func context() throws {
        let device = try #require(App.current).device
        let keychain = SystemKeychain()
        try keychain.set("one", for: token, protection: guarded)
        let context = LAContext()
        context.localizedReason = "to log in"
        #expect(try keychain.string(for: token, authentication: .context(context)) == "one")
        #expect(try keychain.string(for: token, authentication: .context(context)) == "one")
        #expect(device.owner.questions.map(\.reason) == ["to log in"])
        #expect(try keychain.string(for: token, authentication: .allowed("once more")) == "one")
        #expect(device.owner.questions.map(\.reason) == ["to log in", "once more"])
    }

    @Test("A listing can leave guarded items out; no other call takes one for absent", arguments: Way.allCases)
    func skipping(way: Way) throws {
        let keychain = try way.subject().keychain
        try keychain.set("one", for: token, protection: guarded)
        try keychain.set("two", for: absent, protection: .accessible(.whenUnlocked))
        let open = try keychain.items(matching: .everyGenericPassword, authentication: .skippingGuarded)
        #expect(open.map(\.item.account) == ["grace"])
        let error = failure { () throws(KeychainItemError) in
            try keychain.data(for: token, authentication: .skippingGuarded)
        }
        #expect(error?.kind == .invalidRequest)
    }
}
