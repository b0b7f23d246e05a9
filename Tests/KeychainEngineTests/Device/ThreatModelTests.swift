// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// The threat model names the test that shows each claim, and every test that it names exists.
struct ThreatModelTests {
    private let lines: [String]
    private let sources: [Source]

    /// What a file of tests declares.
    private struct Source {
        let types: Set<String>
        let functions: Set<String>

        init(_ text: String) {
            types = Self.words(after: "struct ", in: text).union(Self.words(after: "class ", in: text))
            functions = Self.words(after: "func ", in: text)
        }

        private static func words(after keyword: String, in text: String) -> Set<String> {
            Set(text.components(separatedBy: keyword).dropFirst().map { rest in String(rest.prefix(while: isInName)) })
        }

        private static func isInName(_ character: Character) -> Bool {
            character.isLetter || character.isNumber || character == "_"
        }
    }

    init() throws {
        let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../..")
        let document = tests.appendingPathComponent("../Documentation/ThreatModel.md")
        lines = try String(contentsOf: document, encoding: .utf8).components(separatedBy: "\n")
        sources = try FileManager.default.subpathsOfDirectory(atPath: tests.standardizedFileURL.path)
            .filter { $0.hasSuffix("Tests.swift") && !$0.hasPrefix("Graphs/") }
            .map { Source(try String(contentsOf: tests.appendingPathComponent($0), encoding: .utf8)) }
    }

    @Test("every test that the threat model names exists")
    func namedTestsExist() throws {
        let names = lines.flatMap(Self.testNames)
        #expect(names.count > 60)
        for name in Set(names).sorted() {
            let parts = name.split(separator: ".").map(String.init)
            let isThere = sources.contains { $0.types.contains(parts[0]) && $0.functions.contains(parts[1]) }
            #expect(isThere, "\(name)")
        }
    }

    @Test("every claim names a test, or says that it is none")
    func claimsNameTests() {
        let claims = lines.filter { $0.hasPrefix("| ") && !$0.hasPrefix("| ---") }
            .filter { !$0.hasSuffix("| shown by |") && !$0.hasSuffix("| key |") }
        #expect(claims.count > 25)
        for claim in claims {
            let isShown =
                !Self.testNames(claim).isEmpty || claim.hasSuffix("| by construction |")
                || claim.hasSuffix("| later |")
            #expect(isShown, "\(claim)")
        }
    }

    /// The names in a line, as `Suite.test`.
    private static func testNames(_ line: String) -> [String] {
        line.components(separatedBy: "`").enumerated().filter { $0.offset % 2 == 1 }.map(\.element)
            .filter { $0.contains("Tests.") && !$0.contains(" ") }
    }
}
