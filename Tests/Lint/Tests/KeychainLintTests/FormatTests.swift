// SPDX-License-Identifier: Apache-2.0
import Foundation
import KeychainLint
import KeychainLintParsing
import Testing

/// What programs read.
struct FormatTests {
    private static let outcome = Linter().lint([
        "Sources/<a&b>.swift": """
        import Security
        func forget() {
            SecItemDelete([kSecClass: kSecClassGenericPassword, kSecAttrService: "s",
                kSecAttrAccount: "a"] as CFDictionary)
        }
        """
    ])

    @Test func jsonHasTheWholeCall() throws {
        let data = Data(Format.json.text(Self.outcome).utf8)
        let root = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        let finding = try #require((root["findings"] as? [[String: Any]])?.first)
        #expect(finding["rule"] as? String == "ignored-osstatus")
        #expect(finding["severity"] as? String == "warning")
        #expect(finding["confidence"] as? String == "high")
        #expect(finding["file"] as? String == "Sources/<a&b>.swift")
        #expect(finding["line"] as? Int == 3)
        #expect(finding["endLine"] as? Int == 4)
    }

    @Test func sarifHasWhatItsSchemaRequires() throws {
        let data = Data(Format.sarif.text(Self.outcome).utf8)
        let root = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        #expect(root["version"] as? String == "2.1.0")
        let run = try #require((root["runs"] as? [[String: Any]])?.first)
        let driver = try #require((run["tool"] as? [String: Any])?["driver"] as? [String: Any])
        #expect(driver["name"] as? String == "keychain-lint")
        let result = try #require((run["results"] as? [[String: Any]])?.first)
        #expect(result["ruleId"] as? String == "ignored-osstatus")
        let location = try #require((result["locations"] as? [[String: Any]])?.first)
        let physical = try #require(location["physicalLocation"] as? [String: Any])
        let artifact = try #require(physical["artifactLocation"] as? [String: Any])
        #expect(artifact["uri"] as? String == "Sources/%3Ca%26b%3E.swift")
    }

    @Test func annotationsAndCheckstyleAreEscaped() {
        #expect(
            Format.github.text(Self.outcome).hasPrefix("::warning file=Sources/<a&b>.swift,line=3,endLine=4,col=5,")
        )
        #expect(Format.checkstyle.text(Self.outcome).contains("<file name=\"Sources/&lt;a&amp;b&gt;.swift\">"))
    }

    @Test func peopleSeeTheLineTheReasonAndTheRemedy() {
        let source = ["import Security", "func forget() {", "    SecItemDelete([kSecClass: x])"].map { Substring($0) }
        let text = Format.human.text(Self.outcome, context: ReportContext { _ in source })
        #expect(text.contains("Sources/<a&b>.swift:3:5: warning: drops the status of SecItemDelete [ignored-osstatus]"))
        #expect(text.contains(" 3 |     SecItemDelete("))
        #expect(text.contains("|     ^~~"))
        #expect(text.contains("why: ") && text.contains("fix: "))
        #expect(text.contains("see: keychain-lint explain ignored-osstatus\n"))
        let context = ReportContext(documentation: "https://example.com/Lint")
        let linked = Format.human.text(Self.outcome, context: context)
        #expect(linked.contains("see: https://example.com/Lint/ignored-osstatus.md\n"))
        #expect(text.contains("0 errors, 1 warnings, 0 notes in 1 files"))
    }

    @Test func gitLabGetsAFingerprintForEach() throws {
        var outcome = Self.outcome
        outcome.findings.append(outcome.findings[0])
        let root = try JSONSerialization.jsonObject(with: Data(Format.gitlab.text(outcome).utf8))
        let issues = try #require(root as? [[String: Any]])
        #expect(Set(issues.compactMap { $0["fingerprint"] as? String }).count == 2)
        #expect(issues[0]["severity"] as? String == "major" && issues[0]["check_name"] as? String == "ignored-osstatus")
        let location = try #require(issues[0]["location"] as? [String: Any])
        #expect(location["path"] as? String == "Sources/<a&b>.swift")
        #expect((location["lines"] as? [String: Int])?["begin"] == 3)
        #expect(Format.gitlab.text(Linter().lint([:] as [String: String])) == "[]\n")
    }

    @Test func junitHasATestForEachFinding() {
        let text = Format.junit.text(Self.outcome)
        #expect(text.contains("tests=\"1\" failures=\"1\"") && text.contains("<failure type=\"warning\""))
        #expect(text.contains("classname=\"Sources/&lt;a&amp;b&gt;.swift\""))
        #expect(Format.junit.text(Linter().lint([:] as [String: String])).contains("tests=\"1\" failures=\"0\""))
        let broken = Linter().lint(["a\u{1}.swift": RobustnessTests.defect + "\nfunc ((("])
        #expect(Format.junit.text(broken).contains("<skipped message=") && !Format.junit.text(broken).contains("\u{1}"))
    }

    @Test func theListOfRulesIsReadByPrograms() throws {
        let root = try JSONSerialization.jsonObject(with: Data(Rule.listAsJSON.utf8)) as? [String: Any]
        let rules = try #require(root?["rules"] as? [[String: Any]])
        #expect(rules.compactMap { $0["id"] as? String } == Rule.all.map(\.id))
        #expect(rules.allSatisfy { $0["severity"] is String && $0["tags"] is [String] })
    }
}
