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

    /// Code that nests, by the number of levels.
    static let shapes: [(name: String, text: @Sendable (Int) -> String)] = [
        ("parentheses", { nested("(", around: "kSecClass", to: ")", times: $0) }),
        ("arrays", { nested("[", around: "kSecClass", to: "]", times: $0) }),
        ("dictionaries", { nested("[kSecClass: ", around: "kSecClass", to: "]", times: $0) }),
        ("closures", { nested("{ ", around: "kSecClass", to: " }", times: $0) + "()" }),
        ("calls", { nested("f(", around: "kSecClass", to: ")", times: $0) }),
        ("chain", { "kSecClass" + String(repeating: ".f()", count: $0) }),
        ("map", { "kSecClass" + String(repeating: ".map { $0 }", count: $0) }),
        ("optionals", { "kSecClass" + String(repeating: "?.a", count: $0) }),
        ("sum", { "kSecClass" + String(repeating: " + a", count: $0) }),
        ("coalescing", { "kSecClass" + String(repeating: " ?? a", count: $0) }),
        ("ternaries", { "kSecClass" + String(repeating: " ? a : b", count: $0) }),
        ("tries", { String(repeating: "try ", count: $0) + "kSecClass" }),
        ("casts", { "kSecClass" + String(repeating: " as Any", count: $0) }),
        ("interpolations", { nested("\"\\(", around: "kSecClass", to: ")\"", times: $0) }),
        ("types", { "kSecClass as " + nested("[", around: "Int", to: "]", times: $0) }),
        ("function types", { "kSecClass as (" + String(repeating: "(Int) -> ", count: $0) + "Int)" }),
        ("negations", { String(repeating: "!(", count: $0) + "kSecClass" + String(repeating: ")", count: $0) }),
    ]

    private static func nested(_ opening: String, around inner: String, to closing: String, times count: Int) -> String
    {
        String(repeating: opening, count: count) + inner + String(repeating: closing, count: count)
    }

    private static let blocks: [(name: String, text: @Sendable (Int) -> String)] = [
        ("if", { nested("if a { ", around: "SecItemDelete(q)", to: " }", times: $0) }),
        ("else if", { "if a {}" + String(repeating: " else if b { SecItemDelete(q) }", count: $0) }),
        ("functions", { nested("func g() { ", around: "SecItemDelete(q)", to: " }", times: $0) }),
        ("nested types", { nested("struct S { ", around: "let a = kSecClass", to: " }", times: $0) }),
        ("do", { nested("do { ", around: "SecItemDelete(q)", to: " } catch {}", times: $0) }),
        ("#if", { nested("#if A\n", around: "SecItemDelete(q)", to: "\n#endif", times: $0) }),
        ("switch", { nested("switch a { case 1: ", around: "SecItemDelete(q)", to: " default: break }", times: $0) }),
    ]

    private static let programs =
        shapes.map { shape in (shape.name, { @Sendable (count: Int) in "let a = \(shape.text(count))\n" }) }
        + blocks.map { block in
            (block.name, { @Sendable (count: Int) in "func f(_ q: CFDictionary) {\n\(block.text(count))\n}\n" })
        }

    /// What is nested too deeply is named, and costs neither the run nor the other files.
    @Test(arguments: programs.map { ($0.0, 1_000) } + [("sum", 20_000), ("chain", 10_000), ("else if", 5_000)])
    func deepNestingIsNamed(_ name: String, _ count: Int) throws {
        let program = try #require(Self.programs.first { $0.0 == name }?.1)
        let outcome = Linter().lint(["a.swift": "import Security\n\(program(count))", "b.swift": Self.defect])
        #expect(outcome.findings.contains { $0.file == "b.swift" && $0.rule == "ignored-osstatus" })
        // The linter keeps types as text.
        let isFlat = ["function types"].contains(name)
        #expect(isFlat || outcome.skipped.contains { $0.file.hasPrefix("a.swift") }, "\(outcome.skipped)")
    }

    /// What people write, with room to spare, is followed.
    @Test(arguments: programs.map(\.0))
    func moderateNestingIsNot(_ name: String) throws {
        let program = try #require(Self.programs.first { $0.0 == name }?.1)
        let outcome = Linter().lint(["a.swift": "import Security\n\(program(60))\n\(Self.defect)"])
        #expect(outcome.findings.contains { $0.rule == "ignored-osstatus" })
        // Nobody writes arrays of twelve dimensions.
        let isTooDeep = ["arrays", "types"].contains(name)
        #expect(outcome.skipped.map(\.reason) == (isTooDeep ? [.tooDeep] : []))
    }

    @Test func aDefectBehindALongChainIsFound() {
        let chain = "view" + String(repeating: ".map { $0 }.filter { $0 }.padding()", count: 20)
        let text =
            "import Security\nfunc f() {\n_ = \(chain)\nSecItemDelete([kSecClass: kSecClassKey] as CFDictionary)\n}"
        let outcome = Linter().lint(["a.swift": text])
        #expect(outcome.findings.contains { $0.rule == "ignored-osstatus" } && outcome.skipped == [])
    }

    @Test func textInUTF16IsRead() throws {
        let folder = try temporaryFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let units = Array(("// ü\n" + Self.defect).utf16)
        var little: [UInt8] = [0xFF, 0xFE]
        var big: [UInt8] = [0xFE, 0xFF]
        for unit in units {
            little += [UInt8(unit & 0xFF), UInt8(unit >> 8)]
            big += [UInt8(unit >> 8), UInt8(unit & 0xFF)]
        }
        try Data(little).write(to: folder.appendingPathComponent("a.swift"))
        try Data(big).write(to: folder.appendingPathComponent("b.swift"))
        try Data(little.dropFirst(2)).write(to: folder.appendingPathComponent("unmarked.swift"))
        let outcome = Linter().lint(paths: [folder.path])
        let found = outcome.findings.filter { $0.rule == "ignored-osstatus" }
        #expect(found.map { "\($0.file):\($0.line)" } == ["a.swift:4", "b.swift:4"])
        #expect(outcome.skipped.map(\.file) == ["unmarked.swift"])
        // An edit would have its place in other bytes.
        #expect(try Linter().mend(paths: [folder.path]) == 0)
    }

    /// Tests are looked at for the types that reach the keychain, however many there are.
    @Test func manyTypesHideNoTest() {
        var files: [String: String] = [:]
        let call = "SecItemDelete([kSecClass: kSecClassKey] as CFDictionary)"
        for number in 0..<600 {
            files["Sources/Store\(number).swift"] = "import Security\nstruct Store\(number) { func f() { \(call) } }"
        }
        files["Tests/AppTests/a.swift"] = "import XCTest\nfinal class A: XCTestCase { func testA() { Store599().f() } }"
        #expect(Linter().lint(files).parsedCount == 601)
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
