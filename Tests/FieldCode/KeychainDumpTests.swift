// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainTesting
import Security
import Testing

@Suite("A dump of all items", .fieldApp)
struct KeychainDumpTests {
    /// Two passwords of each kind, in a service of the test's own.
    private func withItems(_ name: String, _ body: (String) throws -> Void) throws {
        try withScratchService(name) { service in
            for account in ["anna", "bert"] {
                let generic: [String: Any] = [
                    kSecClass as String: kSecClassGenericPassword,
                    kSecAttrService as String: service,
                    kSecAttrAccount as String: account,
                    kSecAttrLabel as String: "\(service) (\(account))",
                    kSecAttrIsInvisible as String: account == "bert",
                    kSecAttrCreator as String: 0x666C_6463 as UInt32,
                    kSecValueData as String: Data(account.utf8),
                ]
                #expect(SecItemAdd(generic as CFDictionary, nil) == errSecSuccess)
                let internet: [String: Any] = [
                    kSecClass as String: kSecClassInternetPassword,
                    kSecAttrServer as String: service,
                    kSecAttrAccount as String: account,
                    kSecAttrPort as String: 8443,
                    kSecValueData as String: Data(account.utf8),
                ]
                #expect(SecItemAdd(internet as CFDictionary, nil) == errSecSuccess)
            }
            try body(service)
        }
    }

    @Test("raw strings and constants index the same dictionary")
    func stringKeys() throws {
        try withItems("dump.strings") { service in
            let mine = KeychainDump.items(ofClass: kSecClassGenericPassword).filter {
                $0["svce"] as? String == service
            }
            #expect(mine.count == 2)
            for item in mine {
                #expect(item["acct"] as? String == item[kSecAttrAccount as String] as? String)
                #expect(item["agrp"] as? String == item[String(kSecAttrAccessGroup)] as? String)
                #expect(item["agrp"] as? String != nil)
                #expect(item["pdmn"] as? String == "ak")
                #expect(item["labl"] as? String == "\(service) (\(item["acct"] as? String ?? ""))")
                // Neither the secret nor the class is among the attributes.
                #expect(item["v_Data"] == nil)
                #expect(item["class"] == nil)
            }
            let lines = KeychainDump.everything().filter { $0.hasSuffix(" \(service)") }
            #expect(lines.count == 4)
        }
    }

    @Test("constants index results cast to CFString, NSString and AnyHashable keys")
    func constantKeys() throws {
        try withItems("dump.constants") { service in
            let accounts: Set<String> = ["anna", "bert"]
            let symbols = KeychainDump.itemsBySymbol(ofClass: kSecClassGenericPassword)
                .filter { $0[kSecAttrService] as? String == service }
            let bySymbol = symbols.compactMap { $0[kSecAttrAccount] as? String }
            #expect(Set(bySymbol) == accounts)
            let dated = symbols.filter { $0.keys.contains(kSecAttrCreationDate) }
            #expect(dated.count == 2)

            let strings = KeychainDump.itemsByNSString(ofClass: kSecClassGenericPassword)
                .filter { $0[kSecAttrService] as? String == service }
            let byNSString = strings.compactMap { $0["acct" as NSString] as? String }
            #expect(Set(byNSString) == accounts)

            let hashables = KeychainDump.itemsByHashable(ofClass: kSecClassGenericPassword)
                .filter { $0[kSecAttrService] as? String == service }
            let byConstant = hashables.compactMap { $0[kSecAttrAccount] as? String }
            let byLiteral = hashables.compactMap { $0["acct"] as? String }
            let byString = hashables.compactMap { $0[kSecAttrAccount as String] as? String }
            #expect(Set(byConstant) == accounts)
            #expect(Set(byLiteral) == accounts)
            #expect(Set(byString) == accounts)
        }
    }

    @Test("results are arrays of dictionaries for Foundation too")
    func foundationShapes() throws {
        try withItems("dump.foundation") { service in
            let dictionaries = KeychainDump.itemsAsDictionaries(ofClass: kSecClassInternetPassword)
                .filter { $0[kSecAttrServer] as? String == service }
            #expect(dictionaries.count == 2)
            for dictionary in dictionaries {
                #expect(dictionary.object(forKey: kSecAttrPort) as? Int == 8443)
                #expect(dictionary.value(forKey: kSecAttrPort as String) as? NSNumber == 8443)
            }
            #expect(KeychainDump.itemsAsObjects(ofClass: kSecClassInternetPassword).count >= 2)
        }
    }

    @Test("attributes cast to the Swift types that programs ask for")
    func attributeTypes() throws {
        try withItems("dump.types") { service in
            let first = KeychainDump.itemsBySymbol(ofClass: kSecClassInternetPassword).first {
                $0[kSecAttrServer] as? String == service
            }
            let item = try #require(first)
            #expect(item[kSecAttrPort] as? Int == 8443)
            #expect(item[kSecAttrPort] as? UInt16 == 8443)
            #expect(item[kSecAttrPort] as? UInt32 == 8443)
            #expect((item[kSecAttrPort] as? NSNumber)?.intValue == 8443)
            #expect(item[kSecAttrPort] as? CFNumber == 8443)
            #expect(item[kSecAttrServer] as? NSString == service as NSString)
            #expect(item[kSecAttrServer] as? CFString == service as CFString)
            #expect(item[kSecAttrSynchronizable] as? Bool == false)
            #expect(item[kSecAttrSynchronizable] as? Int == 0)
            let date = try #require(item[kSecAttrCreationDate] as? Date)
            #expect(item[kSecAttrModificationDate] as? NSDate == date as NSDate)
            #expect(abs(date.timeIntervalSinceNow) < 3600)

            let invisible = KeychainDump.itemsBySymbol(ofClass: kSecClassGenericPassword)
                .filter { $0[kSecAttrService] as? String == service && $0[kSecAttrIsInvisible] as? Bool == true }
            #expect(invisible.count == 1)
            #expect(invisible.first?[kSecAttrAccount] as? String == "bert")
            #expect(invisible.first?[kSecAttrCreator] as? UInt32 == 0x666C_6463)
        }
    }

    @Test("a persistent reference leads back to its item")
    func persistentReferences() throws {
        try withItems("dump.references") { service in
            let mine = KeychainDump.items(ofClass: kSecClassGenericPassword).filter {
                $0["svce"] as? String == service
            }
            var references = Set<Data>()
            for item in mine {
                let reference = try #require(item[kSecValuePersistentRef as String] as? Data)
                references.insert(reference)
                #expect(item["v_PersistentRef"] as? Data == reference)
                let account = try #require(item["acct"] as? String)
                #expect(KeychainDump.data(forPersistentReference: reference) == Data(account.utf8))
            }
            #expect(references.count == 2)
        }
    }

    @Test("an item's group is among the groups seen")
    func groups() throws {
        try withItems("dump.groups") { service in
            let item = KeychainDump.items(ofClass: kSecClassGenericPassword).first { $0["svce"] as? String == service }
            let group = try #require(item?[kSecAttrAccessGroup as String] as? String)
            #expect(KeychainDump.accessGroups().contains(group))
        }
    }
}
