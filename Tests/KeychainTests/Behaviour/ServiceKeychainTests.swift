// SPDX-License-Identifier: Apache-2.0

import Keychain
import Security
import Testing

@Suite("A keychain of one service")
struct ServiceKeychainTests {
    private let memory = InMemoryKeychain(accessGroups: ["own", "shared"])
    private let logins: ServiceKeychain

    init() {
        logins = ServiceKeychain("login", protection: .accessible(.afterFirstUnlock), in: memory)
    }

    @Test("it stores with its protection, reads by a subscript, lists and deletes its own")
    func life() throws {
        try logins.set("first", for: "ada")
        try logins.set("second", for: "bob")
        try logins.set("third", for: "ada")
        #expect(try logins["ada"] == "third")
        #expect(try logins[data: "bob"] == Data("second".utf8))
        #expect(try logins["eve"] == nil)
        #expect(try logins.accounts() == ["ada", "bob"])
        #expect(try memory.attributes(of: logins.item("ada"))?.protection == logins.protection)
        #expect(try logins.delete("ada"))
        #expect(try !logins.contains("ada"))
        #expect(try logins.contains("bob"))
        #expect(try logins.deleteAll())
        #expect(try !logins.deleteAll())
    }

    @Test("items of the same service in another group, or synchronizable, are not its own")
    func others() throws {
        let others = [
            ServiceKeychain("login", accessGroup: "shared", protection: .accessible(.whenUnlocked), in: memory),
            ServiceKeychain("login", isSynchronizable: true, protection: .accessible(.whenUnlocked), in: memory),
            ServiceKeychain("login.work", protection: .accessible(.whenUnlocked), in: memory),
        ]
        try logins.set("own", for: "ada")
        for other in others { try other.set("other", for: "ada") }
        #expect(try logins.accounts() == ["ada"])
        #expect(try logins.deleteAll())
        for other in others { #expect(try other["ada"] == "other") }
    }

    @Test("a read never prompts unless it says so")
    func prompts() throws {
        memory.person = .agrees
        let guarded = ServiceKeychain("pin", protection: .guarded(.userPresence, accessible: .whenUnlocked), in: memory)
        try guarded.set("1234")
        let error = #expect(throws: KeychainItemError.self) { try guarded.value(String.self) }
        #expect(error?.needsAuthentication == true)
        #expect(throws: KeychainItemError.self) { try guarded[""] }
        #expect(try guarded.value(String.self, authentication: .allowed) == "1234")
        #expect(throws: KeychainItemError.self) { try memory.string(for: guarded.item()) }
        #expect(try memory.string(for: guarded.item(), authentication: .allowed("Open")) == "1234")
    }

    @Test("asynchronous code waits, and blocks where it says so")
    func asynchronous() async throws {
        try await logins.set("first", for: "ada")
        #expect(try await logins.value(String.self, for: "ada") == "first")
        #expect(try await logins.contains("ada"))
        #expect(try await logins.accounts() == ["ada"])
        let text = try memory.blocking { keychain in try keychain.string(for: logins.item("ada")) }
        #expect(text == "first")
        #expect(try logins.blocking { logins in try logins["ada"] } == "first")
        #expect(try await logins.delete("ada"))
        #expect(try await !logins.deleteAll())
    }

    @Test("a found item is named by what it was stored by, with or without the default group")
    func found() throws {
        let item = GenericPassword(service: "login", account: "ada")
        let protection = Protection.accessible(.whenUnlocked)
        try memory.set("own", for: item, protection: protection)
        try memory.set("shared", for: item.inAccessGroup("shared"), protection: protection)
        let found = try memory.items(matching: .all(ofService: "login"))
        #expect(found.count == 2)
        #expect(found.filter { $0.isNamed(by: item) }.map(\.item.accessGroup) == ["own"])
        #expect(found.filter { $0.isNamed(by: item.inAccessGroup("own")) }.count == 1)
        #expect(found.filter { $0.isNamed(by: item.inAccessGroup("shared")) }.map(\.isInDefaultGroup) == [false])
        #expect(
            try memory.items(matching: .all(ofService: "login").inAccessGroup(nil)).map(\.item.accessGroup) == ["own"]
        )
    }
}
