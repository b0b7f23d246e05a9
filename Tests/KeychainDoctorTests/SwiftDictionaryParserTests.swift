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
        #expect(literal.unknown == ["svce"])
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

    @Test(
        "what is assigned to entries after the literal counts",
        arguments: [
            """
            var query: [String: Any] = [:]
            query[kSecClass as String] = kSecClassGenericPassword
            query[kSecAttrAccount as String] = "anna"
            """,
            """
            var query = [String: Any]()
            query[kSecClass as String] = kSecClassInternetPassword
            query[kSecClass as String] = kSecClassGenericPassword // corrected
            query.updateValue("anna", forKey: kSecAttrAccount as String)
            """,
            """
            let numbers: [Int] = [1, 2]; let first = numbers[0]
            var query: [CFString: Any] = [kSecClass: kSecClassGenericPassword, kSecAttrLabel: "x"]
            query[Security.kSecAttrAccount] = "an"
                + suffix
            query[kSecAttrAccount] = ("anna" as CFString)
            query.removeValue(forKey: kSecAttrLabel)
            var other = query; other[kSecAttrLabel] = "y"
            print(query[kSecAttrService] ?? "")
            """,
        ]
    )
    func assignments(_ text: String) throws {
        let literal = try SwiftDictionaryParser.parse(text)
        #expect(literal.dictionary == ["class": .string("genp"), "acct": .string("anna")])
        #expect(literal.unknown.isEmpty && literal.unreadLines.isEmpty)
    }

    @Test("what is set in one case only is not known")
    func conditionalAssignment() throws {
        let literal = try SwiftDictionaryParser.parse(
            """
            var query: [String: Any] = [kSecClass as String: kSecClassGenericPassword, kSecAttrLabel as String: "a",
            #if DEBUG
                kSecAttrService as String: "debug",
            #endif
            ]
            if let group { query[kSecAttrAccessGroup as String] = group }
            if isShared { query[kSecAttrLabel as String] = "b" }
            query.merge(others) { $1 }
            """
        )
        #expect(literal.dictionary == ["class": .string("genp")])
        #expect(literal.unknown == ["agrp", "labl", "svce"])
        #expect(literal.unreadLines == [8])
    }

    @Test(
        "both dictionaries of SecItemUpdate are read",
        arguments: [
            #"SecItemUpdate([kSecClass: kSecClassKey] as CFDictionary, [kSecAttrLabel: "x", kSecAttrType: t] as CFDictionary)"#,
            """
            let query = [kSecClass: kSecClassKey] as CFDictionary
            let changes: [CFString: Any] = [kSecAttrLabel: "x", kSecAttrType: t]
            let status = SecItemUpdate(query, changes as CFDictionary)
            """,
        ]
    )
    func bothDictionaries(_ text: String) throws {
        let literal = try SwiftDictionaryParser.parse(text)
        #expect(literal.dictionary == ["class": .string("keys")])
        #expect(literal.attributes == ["labl": .string("x")])
        #expect(literal.unknownAttributes == ["type"])
    }

    @Test(
        "strings, casts and parentheses are read in each of their forms",
        arguments: [
            ##"[kSecAttrLabel: #"a "b" \n"#]"##, "[kSecAttrLabel: \"\"\"\n    a \"b\" \\\\n\n    \"\"\"]",
            #"[(kSecAttrLabel as String): ("a \"b\" \\n" as! String)]"#,
            #"[Security.kSecAttrLabel: /* a /* nested */ comment */ "a \"b\" \\n" as? String]"#,
        ]
    )
    func forms(_ text: String) throws {
        #expect(try SwiftDictionaryParser.parse(text).dictionary == ["labl": .string(#"a "b" \n"#)], "\(text)")
    }

    @Test("nested interpolations without an end are refused, and not followed to the end of the stack")
    func deepInterpolation() {
        let text = "[kSecAttrLabel: " + String(repeating: "\"\\(", count: 100_000)
        #expect(throws: SwiftDictionaryParser.Defect.self) { try SwiftDictionaryParser.parse(text) }
    }
}
