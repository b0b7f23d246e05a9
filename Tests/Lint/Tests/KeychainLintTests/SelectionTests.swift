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

    @Test(arguments: [
        "disable:next ignored-osstatus: best effort", "disable:next ignored-osstatus (best effort)",
        " disable:next ignored-osstatus best effort", "disable:next all — generated",
        "disable:next delete-then-add, ignored-osstatus — best effort",
    ])
    func aReasonIsWrittenInManyWays(_ comment: String) {
        let outcome = Linter().lint(["a.swift": Self.function("// keychain-lint:\(comment)")])
        #expect(outcome.findings.map(\.rule) == [] && outcome.skipped == [])
        #expect(outcome.suppressedCount == 1)
    }

    @Test(arguments: [
        ("disable:next ignored-osstatsu — x", "there is no rule 'ignored-osstatsu'; is 'ignored-osstatus' meant?"),
        ("disabel:next ignored-osstatus — x", "'disabel:next' is no command"),
        ("ignore ignored-osstatus — x", "'ignore' is no command"), ("disable:next — x", "the comment names no rule"),
        ("disable:next ignored-osstatus", "the comment gives no reason"),
    ])
    func aMistakeInACommentIsSaid(_ comment: String, _ problem: String) throws {
        let outcome = Linter().lint(["a.swift": Self.function("// keychain-lint:\(comment)")])
        #expect(outcome.findings.map(\.rule) == ["ignored-osstatus"])
        let skipped = try #require(outcome.skipped.first)
        #expect(skipped.file == "a.swift:3" && "\(skipped.reason)".contains(problem))
        #expect(outcome.skipped.count == 1)
    }

    private static func function(_ comment: String) -> String {
        "import Security\nfunc forget() {\n\(comment)\n\(call)\n}\n"
    }

    /// Comments in the syntax of each kind of file, on the line before a finding.
    @Test(arguments: [
        (
            "ci/sign.sh", "ci-hardcoded-keychain-password", "security unlock-keychain -p geheim9 login.keychain", "# ",
            ""
        ),
        (
            "fastlane/Fastfile", "ci-hardcoded-keychain-password",
            "unlock_keychain(path: \"login.keychain\", password: \"geheim9\")", "# ", ""
        ),
        (
            "App/App.entitlements", "entitlement-group-missing-prefix",
            "<key>keychain-access-groups</key><array><string>com.example.shared</string></array>", "<!-- ", " -->"
        ),
    ])
    func aCommentSuppressesInEveryFile(
        path: String,
        rule: String,
        line: String,
        opening: String,
        closing: String
    ) {
        func found(_ comment: String) -> [String] {
            var text = "\(opening)\(comment)\(closing)\n\(line)\n"
            if path.hasSuffix("entitlements") { text = "<plist><dict>\n\(text)</dict></plist>\n" }
            return Linter().lint([path: text]).findings.map(\.rule).filter { $0 == rule }
        }
        #expect(found("a remark") == [rule])
        #expect(found("keychain-lint:disable:next \(rule) — known") == [])
    }

    @Test func aConfigurationHasSeveritiesByPath() throws {
        let configuration = try Linter().configuration(
            """
            baseline: known.txt
            fail_on: error
            included: [Sources, "App*"]
            paths:
              App/Tools: {severity: {ignored-osstatus: note}}
            """
        )
        #expect(configuration.baseline == "known.txt" && configuration.failOn == .error)
        #expect(configuration.included == ["Sources", "App*"])
        var outcome = Linter().lint(["Tools/a.swift": Self.function("")])
        outcome.apply(configuration)
        #expect(outcome.findings.map(\.severity) == [.warning])
        outcome.apply(configuration, prefix: "App/")
        #expect(outcome.findings.map(\.severity) == [.note])
    }

    @Test func aMistypedSettingIsAnsweredWithWhatWasMeant() {
        for (text, answer) in [
            ("exclude: [a]", "is 'excluded' meant?"), ("disabled_rules: [ignored-osstatsu]", "'ignored-osstatus'"),
        ] {
            let failure = #expect(throws: Configuration.Failure.self) { try Linter().configuration(text) }
            #expect(failure?.description.contains(answer) == true, "\(failure?.description ?? "")")
        }
    }

    @Test func patternsMatchPartsOfPaths() throws {
        let choice = PathChoice(included: ["App*"], excluded: ["*/Generated/*", "Pods/"])
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        for path in ["App/a.swift", "App/Generated/b.swift", "Pods/c.swift", "Other/d.swift"] {
            let file = folder.appendingPathComponent(path)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(),
                withIntermediateDirectories: true
            )
            try Data(Self.function("").utf8).write(to: file)
        }
        let outcome = Linter().lint(paths: [folder.path], choice: choice)
        #expect(outcome.findings.map(\.file) == ["App/a.swift"])
        // Several paths are one program, and no two of its files have one name.
        let both = Linter().lint(
            paths: [folder.appendingPathComponent("App").path, folder.appendingPathComponent("Other/d.swift").path]
        )
        #expect(both.findings.map(\.file) == ["App/Generated/b.swift", "App/a.swift", "Other/d.swift"])
    }

    @Test func aFingerprintDoesNotDependOnTheFolderThatIsLinted() {
        var options = Linter.Options()
        let whole = Linter().lint(["App/a.swift": Self.function("")]).findings.map(\.fingerprint)
        options.fingerprintPrefix = "App/"
        #expect(Linter().lint(["a.swift": Self.function("")], options: options).findings.map(\.fingerprint) == whole)
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
