// SPDX-License-Identifier: Apache-2.0
import Foundation
import KeychainLint
import KeychainLintParsing
import Testing

/// Comments, configurations, baselines and diffs choose among the findings.
struct SelectionTests {
    private static let call =
        "SecItemDelete([kSecClass: kSecClassGenericPassword, kSecAttrService: \"s\", kSecAttrAccount: \"a\"] as CFDictionary)"

    private func rules(_ body: String) -> [String] {
        Linter().lint(["a.swift": "import Security\nfunc forget() {\n\(body)\n}\n"]).findings.map(\.rule)
    }

    @Test func aCommentWithAReasonSuppresses() {
        #expect(rules(Self.call) == ["ignored-osstatus"])
        #expect(rules("// keychain-lint:disable:next ignored-osstatus — best effort\n\(Self.call)") == [])
        #expect(rules("\(Self.call) // keychain-lint:disable:this ignored-osstatus -- best effort") == [])
        #expect(
            rules(
                "// keychain-lint:disable ignored-osstatus - x\n\(Self.call)\n// keychain-lint:enable ignored-osstatus"
            ) == []
        )
    }

    @Test func aCommentWithoutAReasonDoesNot() {
        #expect(rules("// keychain-lint:disable:next ignored-osstatus\n\(Self.call)") == ["ignored-osstatus"])
        #expect(rules("// keychain-lint:disable:next delete-then-add — no\n\(Self.call)") == ["ignored-osstatus"])
    }

    @Test func aConfigurationChangesSeveritiesAndPaths() throws {
        let configuration = try Linter().configuration(
            """
            severity: {ignored-osstatus: error}
            excluded: [Pods]
            paths:
              Tools: {disabled_rules: [ignored-osstatus]}
            """
        )
        var options = Linter.Options()
        options.severities = configuration.severities
        let text = "import Security\nfunc forget() {\n\(Self.call)\n}\n"
        var outcome = Linter().lint(["App/a.swift": text, "Tools/a.swift": text], options: options)
        outcome.apply(configuration)
        #expect(outcome.findings.map(\.file) == ["App/a.swift"])
        #expect(outcome.findings.map(\.severity) == [.error])
        #expect(configuration.excluded == ["Pods"])
    }

    @Test func aBaselineSurvivesMovedLines() {
        let text = "import Security\nfunc forget() {\n\(Self.call)\n}\n"
        let baseline = Baseline(Baseline.text(Linter().lint(["a.swift": text])))
        var moved = Linter().lint(["a.swift": "// one line more\n\n" + text])
        #expect(moved.findings.count == 1)
        baseline.apply(&moved)
        #expect(moved.findings.isEmpty)
    }

    @Test func aDiffKeepsWhatAChangeBrings() {
        let text = "import Security\nfunc a() {\n\(Self.call)\n}\nfunc b() {\n\(Self.call)\n}\n"
        var outcome = Linter().lint(["a.swift": text])
        let diff = "--- a/x/a.swift\n+++ b/x/a.swift\n@@ -4,0 +5,3 @@\n+func b() {\n"
        ChangedLines(diff: diff).apply(&outcome, prefix: "x/")
        #expect(outcome.findings.map(\.line) == [6])
    }

    @Test func safeEditsConverge() throws {
        let text = """
            import Security
            func exists() -> Bool {
                SecItemCopyMatching([kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a",
                    kSecReturnData: true] as CFDictionary, nil) == errSecSuccess
            }
            func read(_ r: inout CFTypeRef?) -> OSStatus {
                SecItemCopyMatching([kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: "s",
                    kSecAttrAccount as String: "a", kSecReturnData as String: true] as CFDictionary, &r)
            }
            func forget() -> OSStatus {
                SecItemDelete([kSecClass: kSecClassGenericPassword, kSecMatchLimit: kSecMatchLimitOne, kSecAttrService: "s",
                    kSecAttrAccount: "a"] as CFDictionary)
            }
            """
        let first = Linter().lint(["a.swift": text])
        let (fixed, count) = Fixes.applied(first.findings, to: Array(text.utf8))
        #expect(count == 3)
        let result = String(decoding: fixed, as: UTF8.self)
        #expect(result.contains("kSecReturnData as String: true, kSecMatchLimit as String: kSecMatchLimitOne]"))
        let second = Linter().lint(["a.swift": result])
        #expect(second.skipped.isEmpty)
        #expect(second.findings.isEmpty)
        #expect(Fixes.applied(second.findings, to: fixed).count == 0)
    }
}
