// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainTesting
import Security
import Testing

@Suite("NSDictionary and AnyObject style", .fieldApp)
struct DictionaryKeychainTests {
    @Test("mutable dictionaries, literals and arrays of keys ask the same question")
    func queriesAreEqual() throws {
        try withScratchService("dictionary.queries") { service in
            let keychain = DictionaryKeychain(service: service)
            #expect(keychain.load("anna") == nil)
            #expect(keychain.loadFromLiteral("anna") == nil)
            #expect(keychain.loadFromArrays("anna") == nil)

            let secret = NSData(data: Data([1, 2, 3]))
            #expect(keychain.save(secret, account: "anna") == errSecSuccess)
            #expect(keychain.save(secret, account: "anna") == errSecSuccess)
            #expect(keychain.load("anna") == secret)
            #expect(keychain.loadFromLiteral("anna") == Data([1, 2, 3]))
            #expect(keychain.loadFromArrays("anna") == Data([1, 2, 3]))

            #expect(keychain.update(Data([4]), account: "anna") == errSecSuccess)
            #expect(keychain.load("anna")?.length == 1)
            #expect(keychain.delete("anna"))
            #expect(!keychain.delete("anna"))
            #expect(keychain.update(Data([4]), account: "anna") == errSecItemNotFound)
        }
    }

    @Test("a result cast to NSDictionary is indexed by constants, strings and value(forKey:)")
    func results() throws {
        try withScratchService("dictionary.results") { service in
            let keychain = DictionaryKeychain(service: service)
            #expect(keychain.save(NSData(data: Data([1])), account: "anna") == errSecSuccess)
            let attributes = try #require(keychain.attributes("anna"))
            #expect(attributes[kSecAttrAccount] as? String == "anna")
            #expect(attributes["acct"] as? String == "anna")
            #expect(attributes.object(forKey: kSecAttrAccount as NSString) as? String == "anna")
            #expect(attributes.value(forKey: kSecAttrService as String) as? String == service)
            #expect(attributes[kSecAttrCreationDate] is NSDate)
            #expect(attributes[kSecAttrCreationDate] is Date)

            // A copy to change, and to ask with again.
            let query = NSMutableDictionary(dictionary: attributes)
            query.removeObject(forKey: kSecAttrAccessControl)
            query.removeObject(forKey: "sha1")
            query[kSecClass] = kSecClassGenericPassword
            query[kSecReturnData as String] = true
            var result: CFTypeRef?
            #expect(SecItemCopyMatching(query, &result) == errSecSuccess)
            #expect(result is Data)
            #expect(result is NSData)
            #expect(result as? Data == Data([1]))
        }
    }

    @Test("constants and bridged values are objects")
    func objects() throws {
        try withScratchService("dictionary.objects") { service in
            #expect(ObjectKeychain.add("secret", service: service, account: "anna") == errSecSuccess)
            #expect(ObjectKeychain.add("secret", service: service, account: "anna") == errSecDuplicateItem)
            #expect(ObjectKeychain.password(service: service, account: "anna") == "secret")
            #expect(ObjectKeychain.password(service: service, account: "bert") == nil)
            #expect(ObjectKeychain.copy(value: "nobody" as NSString) == errSecNoSuchClass)
            let constant: AnyObject = kSecClassGenericPassword
            let isSameObject = constant === kSecClassGenericPassword
            #expect(isSameObject)
            #expect(ObjectKeychain.copy(value: constant) != errSecNoSuchClass)
        }
    }

    @Test("the booleans are booleans in all their forms")
    func booleans() {
        #expect(kCFBooleanTrue as? Bool == true)
        #expect(kCFBooleanFalse as? Bool == false)
        #expect(kCFBooleanTrue.boolValue)
        #expect((true as CFBoolean) == kCFBooleanTrue)
        let options: [String: Any] = ["on": kCFBooleanTrue!, "off": kCFBooleanFalse as Any]
        #expect(options["on"] as! Bool)
        #expect(options["off"] as? Bool == false)
    }
}
