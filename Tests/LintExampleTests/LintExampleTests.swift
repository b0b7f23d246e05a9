// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainTesting
import Security
import Testing

struct Failure: Error {
    let status: OSStatus

    init(_ status: OSStatus) { self.status = status }
}

typealias KeychainStatus = Failure

enum VaultError: Error { case deleteFailed }

/// Items under the service of the examples.
private enum Item {
    static let one = Data("one".utf8)
    static let two = Data("two".utf8)

    static func id(_ account: String = "a", service: String = "s") -> [CFString: Any] {
        [kSecClass: kSecClassGenericPassword, kSecAttrService: service, kSecAttrAccount: account]
    }

    @discardableResult
    static func add(
        _ data: Data = one,
        _ account: String = "a",
        service: String = "s",
        level: CFString = kSecAttrAccessibleAfterFirstUnlock
    ) -> OSStatus {
        let new: [CFString: Any] = [kSecValueData: data, kSecAttrAccessible: level]
        return SecItemAdd(id(account, service: service).merging(new) { $1 } as CFDictionary, nil)
    }

    static func read(_ account: String = "a", service: String = "s") -> (status: OSStatus, data: Data?) {
        var result: CFTypeRef?
        let query = id(account, service: service).merging([kSecReturnData: true, kSecMatchLimit: kSecMatchLimitOne]) {
            $1
        }
        let status = SecItemCopyMatching(query as CFDictionary, &result)
        return (status, result as? Data)
    }
}

@Suite("The bad examples of keychain-lint fail on a device, the good ones work", .keychain)
struct LintExampleTests {
    private let device: VirtualDevice

    init() throws { device = try #require(App.current).device }

    @Test("an item without accessibility is locked with the device")
    func addMissingAccessible() throws {
        try AddMissingAccessible.Flagged().store(Item.one, user: "a")
        #expect(AddMissingAccessible.Accepted().store(Item.one, user: "b") == errSecSuccess)
        try device.lock()
        #expect(Item.read("a", service: "mail").status == errSecInteractionNotAllowed)
        #expect(Item.read("b", service: "mail").data == Item.one)
    }

    @Test("two features that leave the service out share a slot")
    func addIncompletePrimaryKey() {
        #expect(AddIncompletePrimaryKey.Flagged().keep(Item.one, "a") == errSecSuccess)
        #expect(AddIncompletePrimaryKey.Flagged().keep(Item.two, "a") == errSecDuplicateItem)
        #expect(AddIncompletePrimaryKey.Accepted().keep(Item.two, "a") == errSecSuccess)
    }

    @Test("a lookup by label finds nothing, and the add meets a duplicate")
    func lookupNonUniqueAttribute() {
        #expect(LookupNonUniqueAttribute.Flagged().save(Item.one, title: "one") == errSecSuccess)
        #expect(LookupNonUniqueAttribute.Flagged().save(Item.two, title: "two") == errSecDuplicateItem)
        #expect(LookupNonUniqueAttribute.Accepted().save(Item.two, title: "two") == errSecSuccess)
        #expect(Item.read().data == Item.two)
    }

    @Test("a delete that names the accessibility misses the item")
    func narrowingAttributeInQuery() {
        Item.add(level: kSecAttrAccessibleAfterFirstUnlock)
        #expect(NarrowingAttributeInQuery.Flagged().remove() == errSecItemNotFound)
        #expect(NarrowingAttributeInQuery.Accepted().remove("a") == errSecSuccess)
    }

    @Test("a delete without an account takes all of them")
    func deleteIncompletePrimaryKey() {
        #expect(DeleteIncompletePrimaryKey.Flagged().keep("a", Item.one) == errSecSuccess)
        #expect(DeleteIncompletePrimaryKey.Flagged().keep("b", Item.one) == errSecSuccess)
        #expect(DeleteIncompletePrimaryKey.Accepted().forget("a") == errSecSuccess)
        #expect(Item.read("b").data == Item.one)
        #expect(DeleteIncompletePrimaryKey.Flagged().keep("a", Item.one) == errSecSuccess)
        #expect(DeleteIncompletePrimaryKey.Flagged().forget("a") == errSecSuccess)
        #expect(Item.read("b").status == errSecItemNotFound)
    }

    @Test("a delete of a class takes what other libraries keep")
    func deleteClassWide() {
        Item.add()
        Item.add(service: "analytics")
        #expect(DeleteClassWide.Accepted().wipeAll() == errSecSuccess)
        #expect(Item.read(service: "analytics").data == Item.one)
        #expect(DeleteClassWide.Flagged().forget() == errSecSuccess)
        #expect(Item.read(service: "analytics").status == errSecItemNotFound)
    }

    @Test("an update without a service writes into all of them")
    func updateIncompletePrimaryKey() {
        Item.add()
        Item.add(service: "mail")
        #expect(UpdateIncompletePrimaryKey.Accepted().update("a", Item.two) == errSecSuccess)
        #expect(Item.read(service: "mail").data == Item.one)
        #expect(UpdateIncompletePrimaryKey.Flagged().update("a", Item.two) == errSecSuccess)
        #expect(Item.read(service: "mail").data == Item.two)
    }

    @Test("a limit in a delete is refused")
    func parameterGroupMismatch() {
        Item.add()
        #expect(ParameterGroupMismatch.Flagged().forget() == errSecParam)
        #expect(ParameterGroupMismatch.Accepted().forget() == errSecSuccess)
    }

    @Test("an attribute of another class is refused")
    func attributeUnsupportedForClass() {
        #expect(AttributeUnsupportedForClass.Flagged().add(Item.one, Item.two) == errSecNoSuchAttr)
        #expect(AttributeUnsupportedForClass.Accepted().find("x") == errSecItemNotFound)
    }

    @Test("text in the place of data is refused")
    func attributeValueMismatch() {
        #expect(AttributeValueMismatch.Flagged().add("one") == errSecParam)
        #expect(AttributeValueMismatch.Accepted().add("one") == errSecSuccess)
        #expect(Item.read().data == Item.one)
    }

    @Test("a query without a class is refused, a reference needs none")
    func queryMissingClass() throws {
        Item.add()
        #expect(QueryMissingClass.Flagged().forget("a") == errSecParam)
        var reference: CFTypeRef?
        let query = Item.id().merging([kSecReturnPersistentRef: true]) { $1 }
        #expect(SecItemCopyMatching(query as CFDictionary, &reference) == errSecSuccess)
        #expect(QueryMissingClass.Accepted().forget(try #require(reference as? Data)) == errSecSuccess)
    }

    @Test("an access control beside an accessibility is refused")
    func accessibleWithAccessControl() throws {
        let level = kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly
        let control = try #require(SecAccessControlCreateWithFlags(nil, level, .userPresence, nil))
        #expect(AccessibleWithAccessControl.Flagged().keep(Item.one, control) == errSecParam)
        #expect(AccessibleWithAccessControl.Accepted().keep(Item.one, control) == errSecSuccess)
    }

    @Test("a read that asks for nothing gets nothing")
    func copyMissingReturnType() {
        Item.add()
        #expect(CopyMissingReturnType.Flagged().read() == nil)
        #expect(CopyMissingReturnType.Accepted().read() == Item.one)
    }

    @Test("a secret that is deleted before it is added is lost on a locked device")
    func deleteThenAdd() throws {
        Item.add()
        try device.lock()
        #expect(DeleteThenAdd.Accepted().save(Item.two) == errSecInteractionNotAllowed)
        #expect(Item.read().data == Item.one)
        #expect(DeleteThenAdd.Flagged().save(Item.two) == errSecInteractionNotAllowed)
        try device.unlock()
        #expect(Item.read().status == errSecItemNotFound)
    }

    @Test("a duplicate that counts as success is a secret that was not stored")
    func swallowedDuplicateItem() throws {
        Item.add()
        let id = Item.id()
        try SwallowedDuplicateItem.Flagged().save(id.merging([kSecValueData: Item.two]) { $1 })
        #expect(Item.read().data == Item.one)
        try SwallowedDuplicateItem.Accepted().save(id, Item.two)
        #expect(Item.read().data == Item.two)
    }

    @Test("a failed read on a locked device deletes what is there")
    func deleteOnReadError() throws {
        Item.add(level: kSecAttrAccessibleWhenUnlocked)
        try device.lock()
        #expect(throws: Failure.self) { try DeleteOnReadError.Accepted().check() }
        try device.unlock()
        #expect(Item.read().data == Item.one)
        try device.lock()
        DeleteOnReadError.Flagged().check()
        try device.unlock()
        #expect(Item.read().status == errSecItemNotFound)
    }

    @Test("attributes and data come as a dictionary")
    func resultCastMismatch() {
        Item.add()
        #expect(ResultCastMismatch.Flagged().read() == nil)
        #expect(ResultCastMismatch.Accepted().read() == Item.one)
    }

    @Test("a delete that does not say so misses a synchronizable item")
    func synchronizableScopeMismatch() {
        #expect(SynchronizableScopeMismatch.Flagged.Vault().add(Item.one) == errSecSuccess)
        #expect(SynchronizableScopeMismatch.Flagged.Vault().remove() == errSecItemNotFound)
        #expect(SynchronizableScopeMismatch.Accepted.Vault().remove() == errSecSuccess)
    }

    @Test("a locked item is not one that is absent")
    func readErrorCollapsed() throws {
        Item.add(level: kSecAttrAccessibleWhenUnlocked)
        try device.lock()
        #expect(ReadErrorCollapsed.Flagged().token() == nil)
        #expect(throws: Failure.self) { try ReadErrorCollapsed.Accepted().token() }
        try device.unlock()
        #expect(try ReadErrorCollapsed.Accepted().token() == Item.one)
    }

    @Test("nothing to delete is no failure")
    func itemNotFoundFatal() throws {
        #expect(throws: VaultError.self) { try ItemNotFoundFatal.Flagged().forget() }
        try ItemNotFoundFatal.Accepted().forget()
    }
}
