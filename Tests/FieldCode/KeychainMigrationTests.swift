// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainTesting
import Security
import Testing

@Suite("Migration by SecItemUpdate", .fieldApp)
struct KeychainMigrationTests {
    private func withItems(
        _ name: String,
        _ body: (KeychainMigration) throws -> Void
    ) throws {
        try withScratchService(name) { service in
            for account in ["anna", "bert"] {
                let item =
                    [
                        kSecClass: kSecClassGenericPassword, kSecAttrService: service, kSecAttrAccount: account,
                        kSecValueData: Data(account.utf8),
                    ] as CFDictionary
                #expect(SecItemAdd(item, nil) == errSecSuccess)
            }
            try body(KeychainMigration(service: service))
        }
    }

    private func values(_ key: CFString, _ migration: KeychainMigration) -> Set<String> {
        Set(migration.attributes().values.compactMap { $0[key as String] as? String })
    }

    @Test("all items move to another group, references and secrets survive")
    func moveToSecondGroup() throws {
        let second = try #require(Entitlements.fieldApp.accessGroups.dropFirst().first)
        try withItems("migration.group") { migration in
            let first = try #require(values(kSecAttrAccessGroup, migration).first)
            try #require(first != second)
            let before = migration.attributes()
            #expect(migration.move(from: first, toAccessGroup: second) == errSecSuccess)
            #expect(migration.move(from: first, toAccessGroup: second) == errSecItemNotFound)
            #expect(values(kSecAttrAccessGroup, migration) == [second])
            for (account, attributes) in migration.attributes() {
                let reference = try #require(attributes[kSecValuePersistentRef as String] as? Data)
                #expect(reference == before[account]?[kSecValuePersistentRef as String] as? Data)
                #expect(KeychainDump.data(forPersistentReference: reference) == Data(account.utf8))
            }

            // An item of the same key in the old group: a move back collides, and then nothing moves.
            let item =
                [
                    kSecClass: kSecClassGenericPassword, kSecAttrService: migration.service, kSecAttrAccount: "anna",
                    kSecAttrAccessGroup: first,
                ] as CFDictionary
            #expect(SecItemAdd(item, nil) == errSecSuccess)
            #expect(migration.move(from: second, toAccessGroup: first) == errSecDuplicateItem)
            #expect(SecItemDelete(item) == errSecSuccess)
            #expect(values(kSecAttrAccessGroup, migration) == [second])
            #expect(migration.attributes().count == 2)
        }
    }

    @Test("a move to the group that items are in changes nothing")
    func moveToSameGroup() throws {
        try withItems("migration.same") { migration in
            let group = try #require(values(kSecAttrAccessGroup, migration).first)
            #expect(values(kSecAttrAccessGroup, migration) == [group])
            #expect(KeychainMigration.defaultAccessGroup(probe: migration.service) == group)
            #expect(migration.move(toAccessGroup: group) == errSecSuccess)
            #expect(values(kSecAttrAccessGroup, migration) == [group])
            #expect(migration.attributes().count == 2)
        }
    }

    @Test("a group of another team is refused, as target and as source, and nothing moves")
    func moveToForeignGroup() throws {
        try withItems("migration.foreign") { migration in
            let group = values(kSecAttrAccessGroup, migration)
            let foreign = "NOTMYTEAM.\(migration.service)"
            #expect(migration.move(toAccessGroup: foreign) == errSecMissingEntitlement)
            #expect(migration.move(from: foreign, toAccessGroup: foreign) == errSecMissingEntitlement)
            #expect(values(kSecAttrAccessGroup, migration) == group)
        }
    }

    @Test("accessibility changes in place, once")
    func accessibility() throws {
        try withItems("migration.accessibility") { migration in
            let before = migration.attributes()
            #expect(migration.makeAvailableInBackground() == errSecSuccess)
            #expect(values(kSecAttrAccessible, migration) == [kSecAttrAccessibleAfterFirstUnlock as String])
            #expect(migration.makeAvailableInBackground() == errSecItemNotFound)
            for (account, attributes) in migration.attributes() {
                let reference = try #require(attributes[kSecValuePersistentRef as String] as? Data)
                #expect(reference == before[account]?[kSecValuePersistentRef as String] as? Data)
                #expect(KeychainDump.data(forPersistentReference: reference) == Data(account.utf8))
            }
        }
    }

    @Test("an access control without constraints sets the protection, a later plain accessibility replaces it")
    func accessControl() throws {
        try withItems("migration.control") { migration in
            let control = try AccessControls.make(kSecAttrAccessibleWhenUnlockedThisDeviceOnly, [])
            #expect(migration.protect(with: control) == errSecSuccess)
            let level = kSecAttrAccessibleWhenUnlockedThisDeviceOnly as String
            #expect(values(kSecAttrAccessible, migration) == [level])

            let query = [kSecClass: kSecClassGenericPassword, kSecAttrService: migration.service] as CFDictionary
            let plain = [kSecAttrAccessible: kSecAttrAccessibleWhenUnlocked] as CFDictionary
            #expect(SecItemUpdate(query, plain) == errSecSuccess)
            #expect(values(kSecAttrAccessible, migration) == [kSecAttrAccessibleWhenUnlocked as String])
        }
    }

    @Test("items become synchronizable, and are then no longer local")
    func synchronizable() throws {
        try withItems("migration.sync") { migration in
            #expect(migration.makeSynchronizable() == errSecSuccess)
            #expect(migration.makeSynchronizable() == errSecItemNotFound)
            let attributes = migration.attributes()
            #expect(attributes.count == 2)
            for item in attributes.values {
                #expect(item[kSecAttrSynchronizable as String] as? Bool == true)
            }
            #expect(migration.makeAvailableInBackground() == errSecItemNotFound)
        }
    }

    @Test("a service is renamed, unless an item of the new name is in the way")
    func renaming() throws {
        try withItems("migration.old") { old in
            try withScratchService("migration.new") { newName in
                let new = KeychainMigration(service: newName)
                let blocker =
                    [
                        kSecClass: kSecClassGenericPassword, kSecAttrService: newName, kSecAttrAccount: "bert",
                    ] as CFDictionary
                #expect(SecItemAdd(blocker, nil) == errSecSuccess)
                #expect(old.rename(to: newName) == errSecDuplicateItem)
                #expect(Set(old.attributes().keys) == ["anna", "bert"])

                #expect(SecItemDelete(blocker) == errSecSuccess)
                #expect(old.rename(to: newName) == errSecSuccess)
                #expect(old.attributes().isEmpty)
                #expect(Set(new.attributes().keys) == ["anna", "bert"])
            }
        }
    }

    @Test("settings move into the keychain, and a second run has nothing to do")
    func settings() throws {
        try withScratchService("migration.settings") { service in
            let migration = KeychainMigration(service: service)
            var settings = ["token": "t", "refresh": "r", "theme": "dark"]
            let keys = ["token", "refresh", "missing"]
            #expect(migration.importSettings(&settings, keys: keys) == 2)
            #expect(settings == ["theme": "dark"])
            #expect(Set(migration.attributes().keys) == ["token", "refresh"])
            #expect(migration.importSettings(&settings, keys: keys) == 0)
        }
    }
}
