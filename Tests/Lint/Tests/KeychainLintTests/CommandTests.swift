// SPDX-License-Identifier: Apache-2.0
import Foundation
import KeychainLint
import Testing

/// The program itself, in folders and repositories of its own.
struct CommandTests {
    private static let good = """
        import Security
        func remove() -> OSStatus {
            SecItemDelete([kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a"] as CFDictionary)
        }

        """

    private static let entitlements = """
        <plist version="1.0">
        <dict>
            <key>keychain-access-groups</key>
            <array>
                <string>$(AppIdentifierPrefix)com.example.app</string>
                <string>$(AppIdentifierPrefix)com.example.shared</string>
            </array>
        </dict>
        </plist>
        """

    /// A folder that goes with the test.
    private final class Folder {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)

        init() throws { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }

        deinit { try? FileManager.default.removeItem(at: url) }

        func write(_ name: String, _ text: String) throws {
            let file = url.appendingPathComponent(name)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(),
                withIntermediateDirectories: true
            )
            try Data(text.utf8).write(to: file)
        }

        func read(_ name: String) throws -> String {
            try String(contentsOf: url.appendingPathComponent(name), encoding: .utf8)
        }

        @discardableResult
        func run(_ program: String, _ arguments: [String]) throws -> (status: Int32, output: String, error: String) {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: program)
            process.arguments = arguments
            process.currentDirectoryURL = url
            let output = url.appendingPathComponent("../\(url.lastPathComponent).out")
            let error = url.appendingPathComponent("../\(url.lastPathComponent).err")
            for file in [output, error] { try Data().write(to: file) }
            process.standardOutput = try FileHandle(forWritingTo: output)
            process.standardError = try FileHandle(forWritingTo: error)
            try process.run()
            process.waitUntilExit()
            defer { for file in [output, error] { try? FileManager.default.removeItem(at: file) } }
            return (
                process.terminationStatus, try String(contentsOf: output, encoding: .utf8),
                try String(contentsOf: error, encoding: .utf8)
            )
        }

        @discardableResult
        func lint(_ arguments: String...) throws -> (status: Int32, output: String, error: String) {
            try linter(["lint"] + arguments)
        }

        /// Runs the linter with whatever arguments.
        func linter(_ arguments: [String]) throws -> (status: Int32, output: String, error: String) {
            try run(program(), arguments)
        }

        /// The path of the linter.
        func program() throws -> String {
            let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
            return URL(fileURLWithPath: tests).deletingLastPathComponent().appendingPathComponent("keychain-lint").path
        }

        func commit() throws {
            let identity = ["-c", "user.name=Test", "-c", "user.email=test@example.com"]
            try run("/usr/bin/env", ["git", "init", "-q"])
            try run("/usr/bin/env", ["git", "add", "-A"])
            let commit = try run("/usr/bin/env", ["git"] + identity + ["commit", "-q", "-m", "Before"])
            try #require(commit.status == 0, "\(commit.error)")
        }
    }

    private static func rules(_ output: String) throws -> [String] {
        let root = try JSONSerialization.jsonObject(with: Data(output.utf8)) as? [String: Any]
        return (root?["findings"] as? [[String: Any]] ?? []).compactMap { $0["rule"] as? String }
    }

    @Test func theExitCodeTellsWhatBecameOfIt() throws {
        let folder = try Folder()
        try folder.write("a.swift", Self.good)
        #expect(try folder.lint(".").status == 0)
        try folder.write("a.swift", RobustnessTests.defect)
        #expect(try folder.lint(".").status == 1)
        #expect(try folder.lint("--fail-on", "error", ".").status == 0)
        let missing = try folder.lint("nowhere")
        #expect(missing.status == 2 && missing.output.contains("nowhere does not exist"))
        #expect(try folder.lint("--rule", "no-such-rule", ".").status != 0)
    }

    @Test func aMistypedRuleOrCommandIsAnsweredWithWhatWasMeant() throws {
        let folder = try Folder()
        let question = "There is no rule 'ignored-osstatsu'. Did you mean 'ignored-osstatus'?"
        #expect(try folder.linter(["explain", "ignored-osstatsu"]).error.contains(question))
        #expect(try folder.lint("--rule", "ignored-osstatsu", ".").error.contains(question))
        let unknown = try folder.linter(["explian"])
        #expect(unknown.status == 2 && unknown.error.contains("keychain-lint: did you mean 'explain'?"))
        #expect(try !folder.lint("nowhere").error.contains("did you mean"))
    }

    @Test func everyHelpHasExamplesThatTheLinterAccepts() throws {
        let folder = try Folder()
        try folder.write("Sources/a.swift", Self.good)
        try folder.write("Tests/a.swift", Self.good)
        try folder.commit()
        try folder.run("/usr/bin/env", ["git", "update-ref", "refs/remotes/origin/main", "HEAD"])
        try folder.write("Sources/Store.swift", Self.good)
        for command in [[], ["lint"], ["explain"], ["rules"]] {
            let help = try folder.linter(command + ["--help"]).output
            let lines = help.components(separatedBy: "EXAMPLES:\n").last?.split(separator: "\n") ?? []
            let examples = lines.prefix { $0.hasPrefix("  ") }.filter { !$0.hasPrefix("   ") }
            #expect(!examples.isEmpty)
            for example in examples {
                let words = example.split(separator: " ").map(String.init).prefix { $0 != ">" && $0 != "<" }
                #expect(words.first == "keychain-lint")
                let run = try folder.linter(Array(words.dropFirst()))
                #expect(run.status == 0, "\(example): \(run.error)")
            }
        }
    }

    @Test(arguments: ["disabled_rules: [no-such-rule]", "severity: 3", "paths: {a: {b: c}}", "stores: [[1]]", "a: ["])
    func aBrokenConfigurationEndsTheRun(_ text: String) throws {
        let folder = try Folder()
        try folder.write(".keychain-lint.yml", text)
        try folder.write("a.swift", Self.good)
        let run = try folder.lint("--format", "json", ".")
        #expect(run.status == 2 && run.output == "" && run.error.contains(".keychain-lint.yml: "), "\(run.error)")
        #expect(try folder.lint("--config", "nowhere.yml", ".").status == 2)
    }

    @Test func theConfigurationIsLookedForInTheFoldersAround() throws {
        let folder = try Folder()
        try folder.write("App/.keychain-lint.yaml", "fail_on: error\nexcluded: [Sources/Old]")
        try folder.write("App/Sources/a.swift", RobustnessTests.defect)
        try folder.write("App/Sources/Old/b.swift", RobustnessTests.defect)
        for path in ["App", "App/Sources", "App/Sources/a.swift", folder.url.path + "/App/Sources/../Sources"] {
            let run = try folder.lint("--format", "json", path)
            #expect(try run.status == 0 && Self.rules(run.output) == ["ignored-osstatus"], "\(path) \(run)")
            #expect(run.output.contains("\"App/Sources/a.swift\""))
        }
        #expect(try folder.lint("--fail-on", "warning", "App").status == 1)
    }

    @Test func theConfigurationNamesWhatIsIncludedAndTheBaseline() throws {
        let folder = try Folder()
        try folder.write("Sources/a.swift", RobustnessTests.defect)
        try folder.write("Other/b.swift", RobustnessTests.defect)
        try folder.write(".keychain-lint.yml", "included: [Sources]")
        #expect(try folder.lint("--write-baseline", "known.txt").output.contains("Sources/a.swift:3:5"))
        try folder.write(".keychain-lint.yml", "baseline: known.txt")
        // Its fingerprints hold wherever the linter runs, and whatever part it lints.
        #expect(try folder.lint().output.contains("1 errors") == false)
        #expect(try Self.rules(folder.lint("--format", "json", "Sources").output) == [])
        #expect(try Self.rules(folder.lint("--format", "json", ".").output) == ["ignored-osstatus"])
    }

    @Test func pathsAreThoseThatTheWorkingFolderSees() throws {
        let folder = try Folder()
        try folder.write("My App/Sources/a.swift", RobustnessTests.defect)
        for path in ["My App", "My App/Sources/a.swift", "./My App/Sources"] {
            #expect(try folder.lint(path).output.contains("My App/Sources/a.swift:3:5: warning"))
            let github = try folder.lint("--format", "github", path).output
            #expect(github.hasPrefix("::warning file=My App/Sources/a.swift,line=3"))
        }
        let whole = try folder.lint("--absolute-paths", "My App").output
        #expect(whole.hasPrefix("/") && whole.contains("/My App/Sources/a.swift:3:5: warning"))
        let sarif = try folder.lint("--format", "sarif", ".").output
        #expect(sarif.contains("originalUriBaseIds") && sarif.contains("\"file:///"))
    }

    @Test func textOfAnEditorIsLinted() throws {
        let folder = try Folder()
        try folder.write("a.swift", Self.good)
        try folder.write("unsaved", RobustnessTests.defect)
        func lint(_ arguments: String) throws -> (status: Int32, output: String, error: String) {
            let program = try folder.program()
            return try folder.run("/bin/sh", ["-c", "'\(program)' lint --format json \(arguments) < unsaved"])
        }
        for arguments in ["--stdin --stdin-path a.swift", "--stdin --stdin-path Sources/new.swift ."] {
            let run = try lint(arguments)
            #expect(try run.status == 1 && Self.rules(run.output) == ["ignored-osstatus"], "\(run.error)")
        }
        #expect(try lint("--stdin").status != 0)
    }

    @Test func theRulesAreListed() throws {
        let folder = try Folder()
        #expect(try folder.linter(["rules"]).output.contains("ignored-osstatus (warning): "))
        let output = try folder.linter(["rules", "--format", "json"]).output
        #expect(output.contains("\"id\": \"ignored-osstatus\""))
    }

    @Test func theConfigurationNamesTheStores() throws {
        let folder = try Folder()
        let code = Self.good.replacingOccurrences(of: "func remove", with: "static func remove")
        try folder.write("a.swift", "enum Session {\n\(code)}\nenum KeychainStore {\n\(code)}\n")
        try folder.write(
            ".keychain-lint.yml",
            "pedantic: true\nstores: [\"*Store\"]\nonly_rules: [direct-secitem-in-business-logic]"
        )
        let run = try folder.lint(".")
        #expect(run.output.contains("SecItemDelete is called in Session"))
        #expect(!run.output.contains("is called in KeychainStore"))
    }

    @Test func theConfigurationSaysThatRunnersAreHosted() throws {
        let folder = try Folder()
        try folder.write(
            "ci/sign.sh",
            """
            security create-keychain -p "$PASSWORD" ci.keychain
            security set-keychain-settings -lut 21600 ci.keychain
            security unlock-keychain -p "$PASSWORD" ci.keychain
            xcodebuild archive
            """
        )
        let rule = "ci-missing-delete-keychain"
        #expect(try Self.rules(folder.lint("--format", "json", ".").output).contains(rule))
        try folder.write(".keychain-lint.yml", "hosted-runners: true")
        #expect(try !Self.rules(folder.lint("--pedantic", "--format", "json", ".").output).contains(rule))
        try folder.write(".keychain-lint.yml", "hosted-runners: 3")
        #expect(try folder.lint(".").error.contains("hosted-runners is true or false"))
    }

    @Test func anEchoIsPrintedBelowItsMistake() throws {
        let folder = try Folder()
        try folder.write(
            "a.swift",
            """
            import Security
            func replace(_ d: Data) -> OSStatus {
                let q: [CFString: Any] = [kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a",
                    kSecAttrAccessible: kSecAttrAccessibleWhenUnlocked, kSecValueData: d]
                let status = SecItemDelete(q as CFDictionary)
                guard status == errSecSuccess || status == errSecItemNotFound else { return status }
                return SecItemAdd(q as CFDictionary, nil)
            }
            """
        )
        let output = try folder.lint(".").output
        #expect(
            output.contains("    also: shares 'q' with SecItemAdd: kSecAttrAccessible, kSecValueData do not belong")
        )
        #expect(!output.contains("SecItemAdd: kSecAttrAccessible, kSecValueData do not belong into SecItemAdd"))
    }

    @Test func aDiffHasWhatAChangeBrings() throws {
        let folder = try Folder()
        try folder.write("old.swift", RobustnessTests.defect)
        try folder.write("a b/ü.swift", Self.good)
        try folder.commit()
        #expect(try Self.rules(folder.lint("--format", "json", "--diff", "HEAD", ".").output) == [])
        try folder.write("a b/ü.swift", Self.good + RobustnessTests.defect)
        try folder.write("new.swift", RobustnessTests.defect)
        let run = try folder.lint("--format", "json", "--diff", "HEAD", ".")
        #expect(try Self.rules(run.output) == ["ignored-osstatus", "ignored-osstatus"])
        #expect(run.output.contains("new.swift") && run.output.contains("ü.swift"))
        #expect(try folder.lint("--diff", "no-such-commit", ".").status == 2)
    }

    /// A change may cause a finding at a line that it does not touch.
    @Test func aDiffHasTheEffectsOfAChange() throws {
        let folder = try Folder()
        let code = """
            import Security
            func base() -> [CFString: Any] {
                [
                    kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a",
                    kSecAttrAccessible: kSecAttrAccessibleWhenUnlocked,
                ]
            }
            func save(_ d: Data) -> OSStatus {
                var q = base()
                q[kSecValueData] = d
                return SecItemAdd(q as CFDictionary, nil)
            }

            """
        try folder.write("a.swift", code + Self.good.replacingOccurrences(of: "import Security\n", with: ""))
        try folder.commit()
        #expect(try folder.lint("--diff", "HEAD", ".").status == 0)
        let lines = code.components(separatedBy: "\n").filter { !$0.contains("kSecAttrAccessible") }
        try folder.write("a.swift", lines.joined(separator: "\n"))
        let run = try folder.lint("--format", "json", "--diff", "HEAD", ".")
        #expect(try Self.rules(run.output) == ["add-missing-accessible"], "\(run.error)")
    }

    @Test func aDiffKnowsFilesThatWereMoved() throws {
        let folder = try Folder()
        try folder.write("old.swift", RobustnessTests.defect)
        try folder.commit()
        try folder.run("/usr/bin/env", ["git", "mv", "old.swift", "new.swift"])
        #expect(try Self.rules(folder.lint("--format", "json", "--diff", "HEAD", ".").output) == [])
    }

    /// The first commit of a repository has nothing before it.
    @Test func aRepositoryWithoutACommitIsLinted() throws {
        let folder = try Folder()
        try folder.write("a.swift", RobustnessTests.defect)
        try folder.run("/usr/bin/env", ["git", "init", "-q"])
        let run = try folder.lint("--format", "json", "--diff", "HEAD", ".")
        #expect(try run.status == 1 && Self.rules(run.output) == ["ignored-osstatus"], "\(run.error)")
        #expect(try folder.lint("--diff", "main", ".").status == 2)
    }

    @Test func aDiffHasAGroupThatIsGone() throws {
        let folder = try Folder()
        try folder.write("App/App.entitlements", Self.entitlements)
        try folder.commit()
        let lines = Self.entitlements.components(separatedBy: "\n")
        try folder.write("App/App.entitlements", lines.filter { !$0.contains("example.app") }.joined(separator: "\n"))
        for path in [".", "App"] {
            let run = try folder.lint("--format", "json", "--diff", "HEAD", path)
            #expect(try Self.rules(run.output) == ["entitlement-group-removed"])
        }
    }

    @Test func aBaselineHasTheGroups() throws {
        let folder = try Folder()
        try folder.write("App.entitlements", Self.entitlements)
        try folder.write("a.swift", RobustnessTests.defect)
        try folder.lint("--write-baseline", "known", ".")
        #expect(try folder.lint("--baseline", "known", ".").status == 0)
        try folder.write(
            "App.entitlements",
            Self.entitlements.replacingOccurrences(of: "com.example.shared", with: "x")
        )
        let run = try folder.lint("--format", "json", "--baseline", "known", ".")
        #expect(try Self.rules(run.output) == ["entitlement-group-removed"])
    }

    @Test func safeEditsAreMadeOnce() throws {
        let folder = try Folder()
        try folder.write(
            "a.swift",
            """
            import Security
            func read(_ r: inout CFTypeRef?) -> OSStatus {
                SecItemCopyMatching([kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a",
                    kSecReturnData: true] as CFDictionary, &r)
            }
            """
        )
        #expect(try folder.lint("--fix", ".").error.contains("1 edit was made"))
        let fixed = try folder.read("a.swift")
        #expect(fixed.contains("kSecReturnData: true, kSecMatchLimit: kSecMatchLimitOne]"))
        let second = try folder.lint("--fix", ".")
        #expect(second.error.contains("0 edits were made") && second.status == 0)
        #expect(try folder.read("a.swift") == fixed)
    }

    @Test(arguments: Format.allCases)
    func everyFormatIsWritten(_ format: Format) throws {
        let folder = try Folder()
        try folder.write("a.swift", RobustnessTests.defect)
        let run = try folder.lint("--format", format.rawValue, ".")
        #expect(run.status == 1 && run.output.contains("ignored-osstatus") && run.output.contains("a.swift"))
    }
}
