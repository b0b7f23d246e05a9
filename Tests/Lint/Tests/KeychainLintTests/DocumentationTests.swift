// SPDX-License-Identifier: Apache-2.0
import Foundation
import KeychainLint
import KeychainLintParsing
import Testing

/// The pages in Documentation/Lint say what the rules say.
struct DocumentationTests {
    static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Documentation/Lint")

    static let isWriting = ProcessInfo.processInfo.environment["KEYCHAIN_LINT_WRITE"] != nil

    /// Compares a file with what it should be, or writes it with `Scripts/test-lint --write`.
    static func compare(_ name: String, _ text: String) throws {
        let file = folder.appendingPathComponent(name)
        if isWriting {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file)
        }
        let found = try String(decoding: Data(contentsOf: file), as: UTF8.self)
        #expect(found == text, "Documentation/Lint/\(name) is stale: run Scripts/test-lint --write")
    }

    @Test(arguments: Rule.all.map(\.id))
    func thePageOfARuleIsUpToDate(_ id: String) throws {
        let rule = try #require(Rule.all.first { $0.id == id })
        try Self.compare("\(id).md", rule.page)
    }

    @Test func theIndexIsUpToDate() throws { try Self.compare("README.md", Rule.index) }

    @Test func theSchemaIsUpToDate() throws {
        try Self.compare("keychain-lint.schema.json", Configuration.schema)
        _ = try JSONSerialization.jsonObject(with: Data(Configuration.schema.utf8))
    }

    /// The page on the configuration has every setting.
    @Test func theConfigurationIsDescribed() throws {
        let page = try String(
            decoding: Data(contentsOf: Self.folder.appendingPathComponent("Configuration.md")),
            as: UTF8.self
        )
        let example = try #require(
            page.components(separatedBy: "```yaml\n").dropFirst().first?.components(separatedBy: "```")[0]
        )
        for setting in Configuration.settings { #expect(example.contains("\n\(setting.name):"), "\(setting.name)") }
        _ = try Linter().configuration(example)
    }

    /// The page on the MASTG has a row with a link to the rule for each test that a rule names.
    @Test func theGuideLinksTheRules() throws {
        let file = Self.folder.deletingLastPathComponent().appendingPathComponent("MASTG.md")
        let rows = try String(decoding: Data(contentsOf: file), as: UTF8.self).split(separator: "\n").filter {
            $0.hasPrefix("| MASTG-")
        }
        #expect(rows.count > 15)
        for rule in Rule.all {
            for test in rule.guideTests {
                let row = rows.first { $0.split(separator: "|")[0].contains(test) }
                #expect(row?.contains("(Lint/\(rule.id).md)") == true, "\(rule.id): \(test)")
            }
        }
    }

    @Test func noPageIsLeftOver() throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
        let known = Set(
            Rule.all.map { $0.id + ".md" } + [
                "README.md", "Mutations.md", "Measurement.md", "Configuration.md", "keychain-lint.schema.json",
            ]
        )
        #expect(Set(names).subtracting(known).isEmpty)
    }

    @Test func namesAreUnique() { #expect(Set(Rule.all.map(\.id)).count == Rule.all.count) }
}
