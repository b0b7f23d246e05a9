// SPDX-License-Identifier: Apache-2.0

extension Rule {
    static let ciWrongKeychainType = Rule(
        "ci-wrong-keychain-type",
        severity: .warning,
        confidence: .medium,
        family: .project,
        title: "A keychain is made that the tests never use",
        reason: """
            security create-keychain makes a file-based keychain; the data protection keychain, which iOS code \
            and code with kSecUseDataProtectionKeychain use, takes no notice of it.
            """,
        remedy: "Leave it out, and give the tests a host application with the keychain capability.",
        flagged: Example([
            ".github/workflows/test.yml": """
            jobs:
              test:
                steps:
                  - run: |
                      security create-keychain -p "$PW" t.keychain
                      xcodebuild test -scheme App
            """,
            "Sources/App/Vault.swift": Example.productionVault,
        ]),
        accepted: Example([
            ".github/workflows/test.yml": """
            jobs:
              test:
                steps:
                  - run: |
                      security create-keychain -p "$PW" t.keychain
                      security import cert.p12 -k t.keychain
                      xcodebuild test -scheme App
            """,
            "Sources/App/Vault.swift": Example.productionVault,
        ]),
        check: .project { project, report in
            let sources = project.modules.flatMap { $0.functions }.filter { !$0.isTest }
            guard sources.contains(where: { !$0.sites.isEmpty }) else { return }
            let usesFiles = project.modules.contains { module in
                module.module.files.contains {
                    !ByteSearch.occurrences(of: Array("SecKeychain".utf8), in: $0.text).isEmpty
                }
            }
            if usesFiles { return }
            for job in project.jobs {
                guard let create = job.security("create-keychain").first, job.security("import").isEmpty else {
                    continue
                }
                let tests = job.commands.contains { $0.words.contains("xcodebuild") && $0.words.contains("test") }
                let signs = job.commands.contains {
                    $0.words.contains("codesign") || $0.words.contains("archive") || $0.text.contains("fastlane")
                }
                guard tests, !signs, !job.uses.contains(where: { $0.contains("cert") }) else { continue }
                report.add(path: job.path, line: create.line, "the tests do not use this file-based keychain")
            }
        }
    )
}
