// SPDX-License-Identifier: Apache-2.0
import Foundation
import KeychainLint
import KeychainLintParsing
import Testing

/// Small programs, each with what the linter has to say about it: Snippets/lint-snippets.jsonl.
struct SnippetTests {
    struct Snippet: Decodable, Sendable, CustomTestStringConvertible {
        var id: String
        var rule: String
        var expect: String
        var files: [String: String]
        var testDescription: String { id }
    }

    static let all: [Snippet] = ExampleFile.texts(in: "Snippets").flatMap { _, text in
        text.split(separator: "\n").compactMap { try? JSONDecoder().decode(Snippet.self, from: Data($0.utf8)) }
    }

    @Test func noneIsLeftOut() { #expect(Self.all.count >= 30) }

    @Test(arguments: all)
    func theLinterSaysWhatItShould(_ snippet: Snippet) {
        var options = Linter.Options()
        options.isPedantic = true
        let linter = Linter()
        let found = linter.lint(snippet.files, options: options).findings
        let own = found.filter { $0.rule == snippet.rule }
        let all = found.map { "\($0.line) \($0.severity) \($0.rule): \($0.message)" }
        switch snippet.expect {
        case "flag": #expect(!own.isEmpty, "\(all)")
        case "silent": #expect(own.isEmpty, "\(all)")
        case "note-at-most": #expect(own.allSatisfy { $0.severity == .note }, "\(all)")
        case "unchanged":
            let mended = linter.mend(snippet.files, options: options)
            #expect(mended.texts == snippet.files && mended.count == 0)
        default: Issue.record("no such expectation: \(snippet.expect)")
        }
    }

    /// What a fix must not do, and what it does for good.
    @Test func aFixIsMadeOnlyWhereTheDictionaryReachesOneCall() {
        func fixed(_ body: String) -> (text: String, count: Int, left: [String]) {
            let code = "import Security\nfunc f(_ r: inout CFTypeRef?) -> OSStatus {\n\(body)\n}\n"
            let mended = Linter().mend(["a.swift": code])
            return (mended.texts["a.swift"] ?? "", mended.count, mended.outcome.findings.map(\.rule))
        }
        let query = """
            [kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a", kSecReturnData: true]
            """
        let alone = fixed("let q: [CFString: Any] = \(query)\nreturn SecItemCopyMatching(q as CFDictionary, &r)")
        #expect(alone.count == 1 && alone.text.contains("kSecMatchLimit: kSecMatchLimitOne") && alone.left == [])
        let escaping = fixed(
            "let q: [CFString: Any] = \(query)\nremember(q)\nreturn SecItemCopyMatching(q as CFDictionary, &r)"
        )
        #expect(escaping.count == 0)
        let copied = fixed(
            "let q: [CFString: Any] = \(query)\nlet c = q\nremember(c)\nreturn SecItemCopyMatching(q as CFDictionary, &r)"
        )
        #expect(copied.count == 0)
    }
}
