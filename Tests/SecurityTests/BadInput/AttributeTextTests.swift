// SPDX-License-Identifier: Apache-2.0

import Foundation
import Security
import Testing

/// Strings and data that trip over encodings, terminators or normalization.
struct AttributeTextTests {
    /// A text, named so that a log need not print a mebibyte.
    struct Sample: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var text: String

        init(_ name: String, _ text: String) {
            testDescription = name
            self.text = text
        }
    }

    private static let samples = [
        Sample("empty", ""),
        Sample("one NUL", "\0"),
        Sample("NULs", String(repeating: "\0", count: 4_096)),
        Sample("a NUL inside", "anna\0bert"),
        Sample("newlines", "\n\r\n\u{2028}\u{85}\t\u{B}"),
        Sample("emoji", "👩🏽‍🚀🏴‍☠️🇺🇳🔑"),
        Sample("composed", "\u{E9}\u{1E9B}\u{323}\u{AC00}"),
        Sample("decomposed", "e\u{301}\u{17F}\u{323}\u{307}\u{1100}\u{1161}"),
        Sample("combining marks alone", String(repeating: "\u{301}", count: 1_000)),
        Sample("right to left", "\u{202E}\u{5D0}\u{5D1}\u{FEFF}"),
        Sample("noncharacters", "\u{FFFD}\u{FFFE}\u{FFFF}\u{10FFFF}\u{E000}"),
        Sample("quotes and SQL", "'; DROP TABLE items_genp; --\"%_\\"),
        Sample("a mebibyte", String(repeating: "a", count: 1 << 20)),
        Sample("a mebibyte of two-byte characters", String(repeating: "ж", count: 1 << 19)),
    ]

    @Test("a text is kept to the byte and found again", arguments: samples)
    func textIsKept(_ sample: Sample) throws {
        let keychain = try WitnessedKeychain()
        let identity: [CFString: Any] = [
            kSecClass: kSecClassGenericPassword, kSecAttrAccount: sample.text, kSecAttrService: sample.text + "x",
        ]
        try keychain.run {
            let added = identity.merging([kSecAttrLabel: sample.text, kSecAttrGeneric: Data(sample.text.utf8)]) { $1 }
            #expect(Items.add(added) == errSecSuccess)
            #expect(Items.add(added) == errSecDuplicateItem)
            for query in [identity, identity.merging([kSecAttrLabel: Data(sample.text.utf8)]) { $1 }] {
                let found = Items.copy(query.merging([kSecReturnAttributes: true]) { $1 })
                let attributes = try #require(found.result as? [String: Any])
                #expect((attributes["acct"] as? String).map { Array($0.utf8) } == Array(sample.text.utf8))
                #expect((attributes["labl"] as? String).map { Array($0.utf8) } == Array(sample.text.utf8))
                #expect(attributes["gena"] as? Data == Data(sample.text.utf8))
            }
            #expect(Items.delete(identity) == errSecSuccess)
        }
        try keychain.expectUntouched()
    }

    @Test(
        "texts that look alike are different items",
        arguments: [
            ("\u{E9}", "e\u{301}"),
            ("\u{AC00}", "\u{1100}\u{1161}"),
            ("\u{212B}", "\u{C5}"),
            ("\u{FB01}", "fi"),
            ("Anna", "anna"),
            ("anna", "anna\0"),
            ("anna", "anna "),
            ("", "\u{200B}"),
        ]
    )
    func lookAlikes(_ one: String, _ other: String) throws {
        let keychain = try WitnessedKeychain()
        func item(_ account: String) -> [CFString: Any] {
            [kSecClass: kSecClassGenericPassword, kSecAttrService: "look-alikes", kSecAttrAccount: account]
        }
        keychain.run {
            #expect(Items.add(item(one).merging([kSecValueData: Data("one".utf8)]) { $1 }) == errSecSuccess)
            #expect(Items.copy(item(other)).status == errSecItemNotFound)
            #expect(Items.add(item(other).merging([kSecValueData: Data("other".utf8)]) { $1 }) == errSecSuccess)
            for (account, secret) in [(one, "one"), (other, "other")] {
                let found = Items.copy(item(account).merging([kSecReturnData: true]) { $1 }).result as? Data
                #expect(found == Data(secret.utf8))
            }
            #expect(Items.delete(item(other)) == errSecSuccess)
            #expect(Items.copy(item(one)).status == errSecSuccess)
        }
    }

    @Test("groups that look alike are different groups")
    func lookAlikeGroups() throws {
        let keychain = try WitnessedKeychain()
        let status = keychain.run {
            Items.add([kSecClass: kSecClassGenericPassword, kSecAttrAccessGroup: "TEAMID.com.example.app\u{200B}"])
        }
        #expect(status == errSecMissingEntitlement)
        try keychain.expectUntouched()
    }

    @Test(
        "data that is not UTF-8 is kept as it is where bytes are taken",
        arguments: [[0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0x00], [], Array(repeating: 0x80, count: 1 << 20)]
    )
    func bytesOutsideUTF8(_ bytes: [UInt8]) throws {
        let keychain = try WitnessedKeychain()
        let item: [CFString: Any] = [
            kSecClass: kSecClassGenericPassword, kSecAttrService: "bytes", kSecAttrAccount: Data(bytes),
        ]
        keychain.run {
            #expect(Items.add(item) == errSecSuccess)
            let found = Items.copy(item.merging([kSecReturnAttributes: true]) { $1 }).result as? [String: Any]
            #expect(found?["acct"] as? Data == Data(bytes))
            #expect(found?["svce"] as? String == "bytes")
        }
    }

    @Test("a string object of half a character is taken and given back without a crash")
    func loneSurrogate() throws {
        let keychain = try WitnessedKeychain()
        let half: [UInt16] = [0x61, 0xD800, 0x62]
        let account = NSString(characters: half, length: half.count)
        let item: [CFString: Any] = [
            kSecClass: kSecClassGenericPassword, kSecAttrService: "half", kSecAttrAccount: account,
        ]
        let statuses = keychain.run { [Items.add(item), Items.copy(item).status, Items.delete(item)] }
        #expect(Set(statuses) == [errSecSuccess])
        try keychain.expectUntouched()
    }

    @Test("attributes of more than 16 MiB together are too large, and nothing is stored")
    func tooLarge() throws {
        let keychain = try WitnessedKeychain()
        let large = String(repeating: "a", count: 9 << 20)
        let statuses = keychain.run {
            [
                Items.add([kSecClass: kSecClassGenericPassword, kSecAttrAccount: large, kSecAttrService: large]),
                Items.update(
                    [kSecClass: kSecClassGenericPassword],
                    [kSecAttrComment: large, kSecAttrDescription: large, kSecValueData: Data()]
                ),
            ]
        }
        #expect(statuses == [errSecDataTooLarge, errSecDataTooLarge])
        try keychain.expectUntouched()
    }
}
