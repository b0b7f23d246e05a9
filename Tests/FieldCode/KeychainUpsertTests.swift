// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainTesting
import Security
import Testing

@Suite("Helpers that add or update", .fieldApp)
struct KeychainUpsertTests {
    private func query(_ service: String) -> [String: Any] {
        [
            kSecClass as String: kSecClassGenericPassword,
            kSecAttrService as String: service,
            kSecAttrAccount as String: "anna",
        ]
    }

    private func read(_ service: String) throws -> [String: Any] {
        var query = query(service)
        query[kSecReturnAttributes as String] = true
        query[kSecReturnData as String] = true
        query[kSecReturnPersistentRef as String] = true
        var result: CFTypeRef?
        try #require(SecItemCopyMatching(query as CFDictionary, &result) == errSecSuccess)
        return try #require(result as? [String: Any])
    }

    private func secret(_ service: String) throws -> Data? {
        try read(service)[kSecValueData as String] as? Data
    }

    private func accessible(_ service: String) throws -> String? {
        try read(service)[kSecAttrAccessible as String] as? String
    }

    @Test("update-then-add keeps reference, creation date and the attributes it does not name")
    func updateThenAdd() throws {
        try withScratchService("upsert.update") { service in
            var item = query(service)
            item[kSecAttrComment as String] = "by hand"
            item[kSecValueData as String] = Data("one".utf8)
            #expect(SecItemAdd(item as CFDictionary, nil) == errSecSuccess)
            let before = try read(service)

            let level = kSecAttrAccessibleAfterFirstUnlock
            #expect(KeychainUpsert.updateThenAdd(Data("two".utf8), query: query(service), accessible: level) == 0)
            let after = try read(service)
            #expect(after[kSecValueData as String] as? Data == Data("two".utf8))
            #expect(after[kSecAttrComment as String] as? String == "by hand")
            #expect(after[kSecAttrAccessible as String] as? String == kSecAttrAccessibleWhenUnlocked as String)
            let reference = kSecValuePersistentRef as String
            #expect(after[reference] as? Data == before[reference] as? Data)
            let creation = kSecAttrCreationDate as String
            #expect(after[creation] as? Date == before[creation] as? Date)
            let modified = try #require(after[kSecAttrModificationDate as String] as? Date)
            #expect(try modified > #require(before[kSecAttrModificationDate as String] as? Date))
        }
    }

    @Test("update-then-add adds what is missing, with its accessibility")
    func addWhatIsMissing() throws {
        try withScratchService("upsert.missing") { service in
            let level = kSecAttrAccessibleAfterFirstUnlock
            let status = KeychainUpsert.updateThenAdd(Data("one".utf8), query: query(service), accessible: level)
            #expect(status == errSecSuccess)
            let item = try read(service)
            #expect(item[kSecValueData as String] as? Data == Data("one".utf8))
            #expect(item[kSecAttrAccessible as String] as? String == level as String)
        }
    }

    @Test("add-then-update updates a duplicate, its accessibility included")
    func addThenUpdate() throws {
        try withScratchService("upsert.add") { service in
            #expect(KeychainUpsert.addThenUpdate(Data("one".utf8), query: query(service)) == errSecSuccess)
            let levelBefore = try accessible(service)
            #expect(levelBefore == kSecAttrAccessibleWhenUnlocked as String)

            let level = kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly
            let status = KeychainUpsert.addThenUpdate(Data("two".utf8), query: query(service), accessible: level)
            #expect(status == errSecSuccess)
            #expect(try secret(service) == Data("two".utf8))
            #expect(try accessible(service) == level as String)
        }
    }

    @Test("delete-then-add gives a new reference")
    func replace() throws {
        try withScratchService("upsert.replace") { service in
            #expect(KeychainUpsert.replace(Data("one".utf8), query: query(service)) == errSecSuccess)
            let before = try read(service)
            #expect(KeychainUpsert.replace(Data("two".utf8), query: query(service)) == errSecSuccess)
            let after = try read(service)
            #expect(after[kSecValueData as String] as? Data == Data("two".utf8))
            let reference = kSecValuePersistentRef as String
            #expect(after[reference] as? Data != before[reference] as? Data)
        }
    }

    @Test("the classic mistakes answer as they do on a phone")
    func classicMistakes() throws {
        try withScratchService("upsert.mistakes") { service in
            let changes = [kSecValueData as String: Data("two".utf8)]
            #expect(KeychainUpsert.addThenUpdate(Data("one".utf8), query: query(service)) == errSecSuccess)

            // A return flag or a match limit in the query of an update or a delete.
            var flagged = query(service)
            flagged[kSecReturnData as String] = true
            #expect(SecItemUpdate(flagged as CFDictionary, changes as CFDictionary) == errSecParam)
            var limited = query(service)
            limited[kSecMatchLimit as String] = kSecMatchLimitOne
            #expect(SecItemUpdate(limited as CFDictionary, changes as CFDictionary) == errSecParam)
            #expect(SecItemDelete(limited as CFDictionary) == errSecParam)

            // The whole query given again as the changes.
            var whole = query(service)
            whole[kSecValueData as String] = Data("two".utf8)
            #expect(SecItemUpdate(query(service) as CFDictionary, whole as CFDictionary) == errSecNoSuchAttr)

            // An attribute of another class, a class of nobody, a secret that is no data, and no query at all.
            var wrongAttribute = query(service)
            wrongAttribute[kSecAttrServer as String] = "example.com"
            #expect(SecItemCopyMatching(wrongAttribute as CFDictionary, nil) == errSecNoSuchAttr)
            #expect(SecItemCopyMatching([kSecClass: "nobody"] as CFDictionary, nil) == errSecNoSuchClass)
            var noData = query(service)
            noData[kSecValueData as String] = "a string"
            #expect(SecItemAdd(noData as CFDictionary, nil) == errSecParam)
            #expect(SecItemCopyMatching([:] as CFDictionary, nil) == errSecParam)

            // None of it changed the item.
            let stored = try secret(service)
            #expect(stored == Data("one".utf8))
        }
    }
}
