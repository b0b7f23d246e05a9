// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import Security
import Testing

/// Keys that are no key: of every first character and of many lengths (Semantics, "Classification of keys").
struct UnknownKeyTests {
    private static let alphabet = "abcdefghijklmnopqrstuvwxyz"
    private static let firstCharacters = Array(alphabet + alphabet.uppercased() + "0123456789") + ["🔑", "é", " ", "\0"]

    @Test("an unknown key has the status of its length and first character", arguments: firstCharacters)
    func unknownKey(_ first: Character) throws {
        let keychain = try WitnessedKeychain()
        for length in 1...12 {
            let key = String(first) + String(repeating: "~", count: length - 1)
            try check(key, in: keychain)
        }
        try keychain.expectUntouched()
    }

    @Test(
        "an odd key has the status of its length",
        arguments: [
            "", "🔑🔑", "🔑🔑🔑", "👨‍👩‍👧", "café", "cafe\u{301}", "class ", "Class", "acct\0", "v_data", "r_data", "nlegs",
        ]
    )
    func oddKey(_ key: String) throws {
        let keychain = try WitnessedKeychain()
        try check(key, in: keychain)
        try keychain.expectUntouched()
    }

    @Test("a key that is no string is refused in every function, a number as an attribute that there is not")
    func foreignKey() throws {
        let keychain = try WitnessedKeychain()
        let keys: [(NSObject, status: OSStatus, inAttributes: OSStatus)] = [
            (NSNumber(value: 1), errSecNoSuchAttr, errSecParam), (NSNumber(value: 2.0), errSecNoSuchAttr, errSecParam),
            (NSNumber(value: 1.5), errSecDecode, errSecDecode), (NSNumber(value: true), errSecParam, errSecParam),
            (NSNull(), errSecParam, errSecParam), (NSDate(), errSecParam, errSecParam),
            (NSData(), errSecParam, errSecParam), (NSArray(), errSecParam, errSecParam),
        ]
        for (key, status, inAttributes) in keys {
            let dictionary = NSMutableDictionary(dictionary: Self.query(account: "") as CFDictionary)
            dictionary.setObject("x", forKey: key)
            let attributes = NSMutableDictionary(dictionary: [kSecAttrLabel: "intruder"] as CFDictionary)
            attributes.setObject("x", forKey: key)
            let statuses = keychain.run {
                [
                    SecItemAdd(dictionary, nil), SecItemCopyMatching(dictionary, nil),
                    SecItemUpdate(dictionary, [kSecAttrLabel: "intruder"] as CFDictionary),
                    SecItemUpdate(Self.query(account: "") as CFDictionary, attributes),
                    SecItemDelete(dictionary),
                ]
            }
            #expect(statuses == [status, status, status, inAttributes, status], "\(key)")
        }
        try keychain.expectUntouched()
    }

    private static func query(account: String) -> [CFString: Any] {
        [kSecClass: kSecClassGenericPassword, kSecAttrAccount: account]
    }

    private func check(_ key: String, in keychain: WitnessedKeychain) throws {
        let present = Self.query(account: "").merging([NSString.key(key): "x"]) { $1 }
        // Where the key may be ignored, the query must not reach the witness.
        let absent = Self.query(account: "nobody").merging([NSString.key(key): "x"]) { $1 }
        let meaning = Meaning(key)
        let statuses: [OSStatus] = keychain.run {
            [
                Items.add(present), Items.copy(present).status, Items.update(absent, [kSecAttrLabel: "intruder"]),
                Items.delete(absent),
                Items.update(Self.query(account: ""), [NSString.key(key): "x", kSecAttrLabel: "intruder"]),
            ]
        }
        #expect(statuses == meaning.statuses + [errSecNoSuchAttr], "the key \(key.debugDescription)")
        try keychain.expectUntouched([.genericPassword], "the key \(key.debugDescription)")
    }

    /// What the parser makes of a key.
    private enum Meaning {
        case attribute, match, ignored, none

        init(_ key: String) {
            switch (key.utf16.count, key.first) {
            case (4, _): self = .attribute
            case (2..., "m"): self = .match
            case (2..., "f"): self = .ignored
            default: self = .none
            }
        }

        /// Of add, copy, update and delete.
        var statuses: [OSStatus] {
            switch self {
            case .attribute: Array(repeating: errSecNoSuchAttr, count: 4)
            case .match: [errSecParam, errSecSuccess, errSecParam, errSecParam]
            case .ignored: [errSecDuplicateItem, errSecSuccess, errSecItemNotFound, errSecItemNotFound]
            case .none: Array(repeating: errSecParam, count: 4)
            }
        }
    }
}
