// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import Security
import Testing

/// Dictionaries that are empty, huge or deep.
struct DictionarySizeTests {
    @Test("an empty dictionary is refused, empty update attributes are not")
    func empty() throws {
        let keychain = try WitnessedKeychain()
        let query: [CFString: Any] = [kSecClass: kSecClassGenericPassword, kSecAttrAccount: "nobody"]
        let statuses = keychain.run {
            [
                Items.add([:]), Items.copy([:]).status, Items.update([:], [:]), Items.delete([:]),
                Items.update(query, [:]),
            ]
        }
        #expect(statuses == [errSecParam, errSecParam, errSecParam, errSecParam, errSecItemNotFound])
        try keychain.expectUntouched()
    }

    @Test("a dictionary without a class is refused")
    func withoutClass() throws {
        let keychain = try WitnessedKeychain()
        let query: [CFString: Any] = [kSecAttrAccount: "", kSecAttrService: ""]
        let statuses = keychain.run {
            [
                Items.add(query), Items.copy(query).status, Items.update(query, [kSecAttrLabel: "intruder"]),
                Items.delete(query),
            ]
        }
        #expect(statuses == Array(repeating: errSecParam, count: 4))
        try keychain.expectUntouched()
    }

    @Test("a dictionary of very many keys is refused", arguments: [1_000, 100_000], ["fill", "m_Fill", "zz", "Ключ"])
    func huge(_ count: Int, _ prefix: String) throws {
        let keychain = try WitnessedKeychain()
        let filling = Dictionary(uniqueKeysWithValues: (0..<count).map { (NSString.key("\(prefix)\($0)"), $0 as Any) })
        let query = filling.merging([kSecClass: kSecClassGenericPassword]) { $1 }
        let statuses = keychain.run {
            [
                Items.add(query), Items.copy(query).status, Items.update(query, [kSecAttrLabel: "intruder"]),
                Items.delete(query),
                Items.update([kSecClass: kSecClassGenericPassword], filling),
            ]
        }
        #expect(statuses == Array(repeating: errSecParam, count: 4) + [errSecNoSuchAttr])
        try keychain.expectUntouched()
    }

    @Test("the keys that are no columns may be as many as leave 128 with the columns", arguments: ItemClass.stored)
    func keySum(_ itemClass: ItemClass) throws {
        let keychain = try WitnessedKeychain()
        // The class is itself such a key.
        let room = 128 - ItemSchema.of(itemClass).columnCount - 1
        for (count, expected) in [(room, errSecSuccess), (room + 1, errSecParam)] {
            let filling = Dictionary(uniqueKeysWithValues: (0..<count).map { (NSString.key("filling\($0)"), 1 as Any) })
            let status = keychain.run { Items.copy(filling.merging([kSecClass: itemClass.rawValue]) { $1 }).status }
            #expect(status == expected, "\(count) keys")
        }
    }

    // Foundation itself bridges an array with all arrays in it, and runs out of stack at a depth of about 15,000.
    @Test(
        "a deeply nested value is refused, or ignored with its key",
        arguments: [1, 10, 2_000],
        ["acct", "v_Data", "m_Issuers", "m_Limit", "m_Unknown", "class", "u_AuthUI"]
    )
    func deep(_ depth: Int, _ key: String) throws {
        let keychain = try WitnessedKeychain()
        for nest in [nestedArrays(depth), nestedDictionaries(depth)] {
            defer { unnest(nest) }
            let query: [CFString: Any] = [kSecAttrService: "nobody", kSecClass: kSecClassGenericPassword]
                .merging([NSString.key(key): nest[0]]) { $1 }
            let statuses = keychain.run {
                [Items.add(query), Items.copy(query).status, Items.update(query, [:]), Items.delete(query)]
            }
            for status in statuses where status != errSecParam { #expect(isIgnored(key, status)) }
            let update = keychain.run {
                Items.update(
                    [kSecClass: kSecClassGenericPassword],
                    [NSString.key(key): nest[0], kSecAttrLabel: "intruder"]
                )
            }
            #expect([errSecParam, errSecNoSuchAttr].contains(update))
        }
        try keychain.expectUntouched()
    }

    @Test("a number that is not whole is found at the bottom of a nest", arguments: [1, 10, 2_000])
    func deepFraction(_ depth: Int) throws {
        let keychain = try WitnessedKeychain()
        for nest in [nestedArrays(depth), nestedDictionaries(depth)] {
            defer { unnest(nest) }
            (nest.last as? NSMutableArray)?.add(NSNumber(value: 0.5))
            (nest.last as? NSMutableDictionary)?.setObject(NSNumber(value: 0.5), forKey: NSString(string: "k"))
            let query: [CFString: Any] = [kSecClass: kSecClassGenericPassword, NSString.key("m_Unknown"): nest[0]]
            #expect(keychain.run { Items.copy(query).status } == errSecDecode)
        }
        try keychain.expectUntouched()
    }

    private func isIgnored(_ key: String, _ status: OSStatus) -> Bool {
        (key.hasPrefix("m_") || key == "u_AuthUI") && [errSecSuccess, errSecItemNotFound].contains(status)
    }

    /// An array in an array in an array…, the outermost first.
    private func nestedArrays(_ depth: Int) -> [NSObject] {
        let arrays = (0..<depth).map { _ in NSMutableArray() }
        for (outer, inner) in zip(arrays, arrays.dropFirst()) { outer.add(inner) }
        return arrays
    }

    /// A dictionary in a dictionary in a dictionary…, the outermost first.
    private func nestedDictionaries(_ depth: Int) -> [NSObject] {
        let dictionaries = (0..<depth).map { _ in NSMutableDictionary() }
        for (outer, inner) in zip(dictionaries, dictionaries.dropFirst()) {
            outer.setObject(inner, forKey: NSString(string: "k"))
        }
        return dictionaries
    }

    /// Takes a nest apart: to free it as a whole would take a stack as deep as the nest.
    private func unnest(_ nest: [NSObject]) {
        for container in nest {
            (container as? NSMutableArray)?.removeAllObjects()
            (container as? NSMutableDictionary)?.removeAllObjects()
        }
    }
}
