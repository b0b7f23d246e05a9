// SPDX-License-Identifier: Apache-2.0

import Foundation
import Security
import Testing

/// The three extensions of Foundation's classes, each of which a release of Foundation may make needless or break.
struct ExtensionTests {
    @Test("a string constant and a Swift string are the same key of a dictionary of any keys")
    func anyHashable() {
        #expect(AnyHashable(kSecAttrAccount) == AnyHashable("acct"))
        #expect(AnyHashable("acct") == AnyHashable(kSecAttrAccount))
        #expect(AnyHashable(kSecAttrAccount).hashValue == AnyHashable("acct").hashValue)
        let byString: [AnyHashable: Any] = ["acct": "anna"]
        #expect(byString[kSecAttrAccount] as? String == "anna")
        let byConstant: [AnyHashable: Any] = [kSecAttrAccount: "anna"]
        #expect(byConstant["acct"] as? String == "anna")
        #expect(byConstant["svce"] == nil)
    }

    @Test("an error without anything can be made")
    func emptyError() {
        let error = NSError()
        #expect(error.domain.isEmpty)
        #expect(error.code == 0)
        #expect(error.userInfo.isEmpty)
    }

    @Test("setValue sets a value, and removes it for nil")
    func setValue() {
        let dictionary = NSMutableDictionary()
        dictionary.setValue("anna", forKey: kSecAttrAccount as String)
        #expect(dictionary[kSecAttrAccount] as? String == "anna")
        dictionary.setValue("bert", forKey: "acct")
        #expect(dictionary.count == 1)
        #expect(dictionary["acct"] as? String == "bert")
        dictionary.setValue(nil, forKey: "acct")
        dictionary.setValue(nil, forKey: "never there")
        #expect(dictionary.count == 0)
    }

    @Test("setObject takes a key that is given as a copying object")
    func setObject() {
        let dictionary = NSMutableDictionary()
        let key: any NSCopying = kSecAttrService
        dictionary.setObject("service", forKey: key)
        #expect(dictionary[kSecAttrService] as? String == "service")
        #expect(dictionary["svce"] as? String == "service")
    }

    @Test("a copy of a dictionary has its entries and is independent of it")
    func copyOfDictionary() {
        let original = [kSecAttrAccount: "anna", kSecAttrPort: 7] as [CFString: Any] as CFDictionary
        let copy = NSMutableDictionary(dictionary: original)
        #expect(copy.count == 2)
        copy.setValue("bert", forKey: "acct")
        copy.setValue(nil, forKey: "port")
        #expect(original[kSecAttrAccount] as? String == "anna")
        #expect(original.count == 2)
        #expect(copy.count == 1)
    }
}
