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
}
