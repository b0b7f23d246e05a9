// SPDX-License-Identifier: Apache-2.0
import Foundation
import KeychainLint
import KeychainLintParsing
import Testing

/// Files that are broken, odd or large.
struct RobustnessTests {
    static let defect = """
        import Security
        func forget() {
            SecItemDelete([kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a"] as CFDictionary)
        }
        """

    private func temporaryFolder() throws -> URL {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder
    }

    @Test func aFileThatDoesNotParseIsNamedAndTheRestIsLinted() {
        let outcome = Linter().lint(["a.swift": Self.defect + "\nfunc (((", "b.swift": Self.defect])
        #expect(outcome.findings.contains { $0.file == "a.swift" && $0.rule == "ignored-osstatus" })
        #expect(outcome.findings.contains { $0.file == "b.swift" && $0.rule == "ignored-osstatus" })
        #expect(outcome.skipped.map(\.file) == ["a.swift"])
    }

    @Test func everyPrefixOfAFileIsSurvived() {
        let text = Array(Self.defect.utf8)
        for length in stride(from: 0, to: text.count, by: 7) {
            _ = Linter().lint(["a.swift": String(decoding: text[..<length], as: UTF8.self)])
        }
    }

    @Test func deepNestingIsSurvived() {
        let depth = 5_000
        let nested = String(repeating: "(", count: depth) + "kSecClass" + String(repeating: ")", count: depth)
        _ = Linter().lint(["a.swift": "import Security\nlet a = \(nested)\n", "b.swift": Self.defect])
        let blocks =
            String(repeating: "if a { ", count: 2_000) + "SecItemDelete(q)" + String(repeating: "}", count: 2_000)
        _ = Linter().lint(["a.swift": "func f(_ q: CFDictionary) { \(blocks) }"])
    }

    @Test func linesEndInAnyWay() throws {
        for ending in ["\n", "\r\n", "\r"] {
            let outcome = Linter().lint(["a.swift": Self.defect.replacingOccurrences(of: "\n", with: ending)])
            let finding = try #require(outcome.findings.first { $0.rule == "ignored-osstatus" })
            #expect(finding.line == 3)
        }
    }

    @Test func aFileThatIsNotTextIsNamed() throws {
        let folder = try temporaryFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        try Data([0xff, 0xfe] + Array("kSecClass".utf8)).write(to: folder.appendingPathComponent("a.swift"))
        try Data(count: 5_000_001).write(to: folder.appendingPathComponent("b.swift"))
        try Data(Self.defect.utf8).write(to: folder.appendingPathComponent("c.swift"))
        let outcome = Linter().lint(paths: [folder.path])
        #expect(Set(outcome.skipped.map(\.file)) == ["a.swift", "b.swift"])
        #expect(outcome.findings.contains { $0.file == "c.swift" })
    }

    @Test func aLoopOfLinksEnds() throws {
        let folder = try temporaryFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        try Data(Self.defect.utf8).write(to: folder.appendingPathComponent("a.swift"))
        try FileManager.default.createSymbolicLink(
            atPath: folder.appendingPathComponent("loop").path,
            withDestinationPath: folder.path
        )
        let outcome = Linter().lint(paths: [folder.path])
        #expect(outcome.findings.count { $0.rule == "ignored-osstatus" } == 1)
    }

    @Test func aMissingPathIsNamed() {
        let outcome = Linter().lint(paths: ["/nowhere/at/all"])
        #expect(outcome.skipped.map(\.file) == ["/nowhere/at/all"])
        #expect(outcome.skipped.map(\.reason) == [.missing])
    }

    @Test func aBrokenConfigurationSaysWhere() {
        #expect(throws: Configuration.Failure.self) { try Linter().configuration("disabled_rules: [no-such-rule]") }
        #expect(throws: Configuration.Failure.self) { try Linter().configuration("a: [") }
        #expect(throws: Configuration.Failure.self) { try Linter().configuration("colour: red") }
    }
}
