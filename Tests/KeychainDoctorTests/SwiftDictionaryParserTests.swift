// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainDoctor
import Testing

struct SwiftDictionaryParserTests {
    @Test("constants, casts, strings, numbers and comments are read; the rest is named")
    func literalIsRead() throws {
        let text = """
            let query: [String: Any] = [
                kSecClass as String: kSecClassGenericPassword, // the class
                kSecAttrAccount as String: "an \\"odd\\" [name], with: all",
                kSecAttrService as String: service,
                kSecAttrPort as String: 4_43 /* odd */,
                "labl": "caf\\u{e9}",
                kSecAttrGeneric as String: Data("bytes".utf8),
                kSecReturnData as String: kCFBooleanTrue!,
                kSecMatchLimit as String: kSecMatchLimitOne as CFString,
                kSecValueData as String: password.data(using: .utf8)!,
            ] as CFDictionary
            """
        let literal = try SwiftDictionaryParser.parse(text)
        let dictionary = literal.dictionary
        #expect(dictionary["class"] == .string("genp"))
        #expect(dictionary["acct"] == .string("an \"odd\" [name], with: all"))
        #expect(dictionary["port"] == .number(.integer(443)))
        #expect(dictionary["labl"] == .string("caf\u{e9}"))
        #expect(dictionary["gena"] == .data(SecretBytes(Array("bytes".utf8))))
        #expect(dictionary["r_Data"] == .boolean(true))
        #expect(dictionary["m_Limit"] == .string("m_LimitOne"))
        #expect(dictionary["v_Data"] == .data(SecretBytes()))
        #expect(dictionary["svce"] == nil)
        #expect(literal.unknown.map(\.key) == ["svce"])
        #expect(literal.unknown.map(\.expression) == ["service"])
    }

    @Test(
        "what is no whole literal is refused with its line",
        arguments: [
            "", "query", "[kSecClass: kSecClassKey", "[kSecClass: \"a\n]", "[a: b)]",
            "[kSecClass kSecClassKey]",
        ]
    )
    func defectIsNamed(_ text: String) {
        #expect(throws: SwiftDictionaryParser.Defect.self) { try SwiftDictionaryParser.parse(text) }
    }

    @Test("an empty dictionary is one")
    func emptyLiteral() throws { #expect(try SwiftDictionaryParser.parse("[:]").dictionary == [:]) }
}
