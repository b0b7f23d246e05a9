// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainTestSupport
import Testing

@testable import SecurityTool

/// Values that no file keychain could hold.
struct AttributeBlockTests {
    private let store = UserKeychain(backend: FakeKeychain(), name: KeychainName(home: "/h"))

    static let cases: [(PropertyValue, String)] = [
        (.null, "<NULL>"),
        (.string(""), "<NULL>"),
        (.data(SecretBytes()), "<NULL>"),
        (.data(SecretBytes([0])), "0x00 "),
        (.boolean(true), "0x00000001 "),
        (.number(.integer(0)), "0x00000000 "),
        (.number(.integer(-1)), "0xFFFFFFFF "),
        (.number(.integer(0x6162_6364)), "\"abcd\""),
        (.number(.integer(0xFFFF_FFFF)), "0xFFFFFFFF "),
        (.number(.integer(1 << 40)), "0x0000010000000000 "),
        (.number(.integer(.min)), "0x8000000000000000 "),
        (.number(.unsigned(.max)), "0xFFFFFFFFFFFFFFFF "),
        (.number(.real(2)), "0x00000002 "),
        (.number(.real(1e300)), "0x7E37E43C8800759C  \"~7\\344<\\210\\000u\\234\""),
        (.string("text"), "\"text\""),
        (.uuid("AB"), "\"AB\""),
        (.array([]), "<NULL>"),
        (.object("Array"), "<NULL>"),
        (.accessControl(AccessControl(synthesizedFor: .whenUnlocked)), "<NULL>"),
        (.date(.referenceDate), "0x32303031303130313030303030305A00  \"20010101000000Z\\000\""),
    ]

    @Test("any value of any attribute prints", arguments: cases)
    func anyValuePrints(_ value: PropertyValue, _ expected: String) throws {
        for itemClass in ItemClass.stored {
            for line in AttributeLine.lines(of: itemClass) {
                var values: [String: PropertyValue] = [
                    PropertyKey.valuePersistentReference: .data(SecretBytes([1]))
                ]
                values[line.attribute.description] = value
                let item = try #require(StoredItem(itemClass, .dictionary(values), in: store))
                let text = String(decoding: AttributeBlock.text(item).bytes, as: UTF8.self)
                #expect(text.split(separator: "\n").count == 4 + AttributeLine.lines(of: itemClass).count)
                guard itemClass == .genericPassword, line.attribute == "crtr" else { continue }
                #expect(text.contains("    \"crtr\"<uint32>=\(expected)\n"))
            }
        }
    }

    @Test("the classes of keys and certificates")
    func classes() throws {
        #expect(try head(.certificate, [:]).hasSuffix("class: 0x80001000 \nattributes:\n"))
        for (number, code) in [(0, "0F"), (1, "10"), (2, "11"), (9, "0F")] {
            let kind: [String: PropertyValue] = ["kcls": .number(.integer(Int64(number)))]
            #expect(try head(.key, kind).hasSuffix("class: 0x000000\(code) \nattributes:\n"))
        }
        #expect(
            try head(.genericPassword, [:])
                == "keychain: \"/h/Library/Keychains/login.keychain-db\"\nversion: 512\nclass: \"genp\"\nattributes:\n"
        )
    }

    private func head(_ itemClass: ItemClass, _ values: [String: PropertyValue]) throws -> String {
        let values = values.merging([PropertyKey.valuePersistentReference: .data(SecretBytes([1]))]) { $1 }
        let item = try #require(StoredItem(itemClass, .dictionary(values), in: store))
        return String(decoding: AttributeBlock.head(item).bytes, as: UTF8.self)
    }
}
