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
        let text = Format.human.text(Self.outcome) { _ in source }
        #expect(text.contains("Sources/<a&b>.swift:3:5: warning: drops the status of SecItemDelete [ignored-osstatus]"))
        #expect(text.contains(" 3 |     SecItemDelete("))
        #expect(text.contains("|     ^~~"))
        #expect(
            text.contains("why: ") && text.contains("fix: ") && text.contains("Documentation/Lint/ignored-osstatus.md")
        )
        #expect(text.contains("0 errors, 1 warnings, 0 notes in 1 files"))
    }
}
