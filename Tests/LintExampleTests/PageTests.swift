// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainLint
import Testing

@Suite("What runs here is what the pages in Documentation/Lint show")
struct PageTests {
    /// The rules whose examples are run, by the names of their types.
    static let rules = [
        "accessible-with-access-control",
        "add-incomplete-primary-key",
        "add-missing-accessible",
        "attribute-unsupported-for-class",
        "attribute-value-mismatch",
        "copy-missing-return-type",
        "delete-class-wide",
        "delete-incomplete-primary-key",
        "delete-on-read-error",
        "delete-then-add",
        "item-not-found-fatal",
        "lookup-non-unique-attribute",
        "narrowing-attribute-in-query",
        "parameter-group-mismatch",
        "query-missing-class",
        "read-error-collapsed",
        "result-cast-mismatch",
        "swallowed-duplicate-item",
        "synchronizable-scope-mismatch",
        "update-incomplete-primary-key",
    ]

    /// Without indentation, imports and empty lines.
    private static func plain(_ text: String) -> String {
        text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
            .filter { !$0.isEmpty && !$0.hasPrefix("import ") }.joined(separator: "\n")
    }

    @Test("the first examples of a rule are compiled, word for word", arguments: rules)
    func examples(_ id: String) throws {
        let rule = try #require(Rule.all.first { $0.id == id })
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        let code = try ["QueryExamples.swift", "ResultExamples.swift"].map {
            Self.plain(try String(contentsOf: folder.appendingPathComponent($0), encoding: .utf8))
        }.joined(separator: "\n")
        for (kind, example) in [("Flagged", rule.flagged), ("Accepted", rule.accepted)] {
            let text = try #require(example.files.first).value
            #expect(code.contains("struct \(kind) {\n" + Self.plain(text) + "\n}"), "\(kind)")
        }
    }
}
