// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainTesting
import Security
import Testing

@Suite("Types, constants and functions of the framework as values", .fieldApp)
struct SecurityTypesTests {
    @Test("reference types cross actors inside an app's own types")
    func sendableTypes() async throws {
        let control = AccessControls.userPresence()
        let owner = SigningMaterialOwner()
        _ = await owner.replace(by: SigningMaterial(accessControl: control))
        let material = await owner.material
        #expect(material.accessControl == control)
        #expect(material.privateKey == nil)
        #expect(material.identity == nil)
        #expect(Set(material.certificates).isEmpty)
        let box = SigningMaterialBox(material)
        let status = await Task.detached { box.material.lastStatus }.value
        #expect(status == errSecSuccess)
    }

    @Test("the functions can be stored, replaced and witnessed")
    func functionValues() throws {
        try withScratchService("types.functions") { service in
            var functions = SecItemFunctions()
            let item = Dictionary.genericPassword(service, "anna")
            #expect(functions.add(item as CFDictionary, nil) == errSecSuccess)
            var result: CFTypeRef?
            #expect(functions.copy(item.returning(kSecReturnPersistentRef) as CFDictionary, &result) == errSecSuccess)
            #expect(result is Data)
            #expect(functions.update(item as CFDictionary, [kSecAttrLabel: "x"] as CFDictionary) == errSecSuccess)
            functions.delete = { _ in errSecNotAvailable }
            #expect(functions.delete(item as CFDictionary) == errSecNotAvailable)

            let system: any SecItemProviding = SystemSecItem()
            #expect(system.add(item as CFDictionary, nil) == errSecDuplicateItem)
            #expect(system.delete(item as CFDictionary) == errSecSuccess)
        }
    }

    @Test("constants map to enums and back", arguments: ItemClass.allCases)
    func classes(_ itemClass: ItemClass) {
        #expect(ItemClass(rawClass: itemClass.constant as String) == itemClass)
        #expect(ItemClass(rawClass: "nobody") == nil)
    }

    @Test("a constant is a CFString, a string only by name")
    func overloads() {
        #expect(attributeName(kSecAttrAccount) == "constant acct")
        #expect(attributeName(kSecAttrAccount as String) == "string acct")
        let keys: [any QueryKey] = [kSecAttrAccount, "svce"]
        #expect(keys.map(\.queryKey) == ["acct", "svce"])
        #expect(AnyHashable(kSecAttrAccount) == AnyHashable("acct"))
    }

    @Test("dictionaries keyed by constants are built, merged, pruned and cast")
    func dictionaries() throws {
        try withScratchService("types.dictionaries") { service in
            for account in ["anna", "bert", "cleo"] {
                let item = Dictionary.genericPassword(service, account).merging([kSecAttrLabel: "l"]) { $1 }
                #expect(SecItemAdd(item as NSDictionary, nil) == errSecSuccess)
            }
            var query = Dictionary.genericPassword(service, "anna").returning(kSecReturnAttributes)
            #expect(query.keys.contains(kSecAttrAccount))
            query[kSecAttrAccount] = nil
            #expect(!query.keys.contains(kSecAttrAccount))
            query.limit(to: 2)

            var result: CFTypeRef?
            #expect(SecItemCopyMatching(query as CFDictionary, &result) == errSecSuccess)
            #expect((result as! NSArray).count == 2)
            query.limit(to: nil)
            #expect(SecItemCopyMatching(query as CFDictionary, &result) == errSecSuccess)
            #expect((result as! CFDictionary).string(kSecAttrLabel) == "l")
            #expect((result as? NSDictionary)?[kSecAttrService] as? String == service)

            let mutable = query as NSDictionary as! [CFString: Any]
            #expect(mutable.count == query.count)
        }
    }

    @Test("Core Foundation's accessors read results")
    func coreFoundationAccessors() throws {
        try withScratchService("types.accessors") { service in
            let item = Dictionary.genericPassword(service, "anna").merging([kSecValueData: Data([1, 2, 3])]) { $1 }
            #expect(SecItemAdd(item as CFDictionary, nil) == errSecSuccess)
            let query = Dictionary.genericPassword(service, "anna")
                .merging([kSecMatchLimit: kSecMatchLimitAll, kSecReturnAttributes: true, kSecReturnData: true]) { $1 }
            var result: CFTypeRef?
            #expect(SecItemCopyMatching(query as CFDictionary, &result) == errSecSuccess)
            let items = try #require(result)
            #expect(CFGetTypeID(items) == CFArrayGetTypeID())
            let first = try #require(CoreFoundationStyle.first(of: items as! CFArray))
            #expect(CoreFoundationStyle.account(in: first) == "anna")
            #expect(CoreFoundationStyle.bytes(of: first[kSecValueData] as! CFData) == [1, 2, 3])
            #expect(CFDictionaryGetCount(first) == first.count)
        }
    }

    @Test("a CFError is an NSError and an Error")
    func errors() throws {
        let error = CoreFoundationStyle.error(errSecItemNotFound)
        #expect(CFErrorGetCode(error) == -25300)
        #expect(CFErrorGetDomain(error) as String == NSOSStatusErrorDomain)
        let userInfo = try #require(CFErrorCopyUserInfo(error) as? [String: Any])
        #expect(userInfo[NSLocalizedDescriptionKey] as? String == errSecItemNotFound.secMessage)
        #expect((error as any Error as NSError).code == Int(errSecItemNotFound))
        #expect(error.localizedDescription == errSecItemNotFound.secMessage)
        #expect(CFEqual(error, CoreFoundationStyle.error(errSecItemNotFound)))
    }
}
