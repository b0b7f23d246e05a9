// SPDX-License-Identifier: Apache-2.0

extension Rule {
    static let ciHardcodedKeychainPassword = Rule(
        "ci-hardcoded-keychain-password",
        .warning,
        .high,
        .project,
        title: "The password of a CI keychain stands in the file",
        reason: """
            Whoever reads the repository has the password of the keychain that holds the signing key.
            """,
        remedy: """
            Make one for each run: openssl rand -hex 16, or take it from the secrets of the CI system.
            """,
        flagged: [
            Example([
                ".github/workflows/ci.yml": """
                jobs:
                  build:
                    steps:
                      - run: |
                          security create-keychain -p secret build.keychain
                          security default-keychain -s build.keychain
                          security import cert.p12 -k build.keychain -P "$P12"
                          xcodebuild archive
                          security delete-keychain build.keychain
                """
            ]),
            Example([
                "Scripts/sign.sh": """
                set -e
                security create-keychain -p hunter2 "$KC"
                security list-keychains -s "$KC"
                security import cert.p12 -k "$KC"
                codesign -s "$ID" App.app
                security delete-keychain "$KC"
                """
            ]),
            Example([
                ".gitlab-ci.yml": """
                sign:
                  script:
                    - security create-keychain -p 'secret' ci.keychain
                    - security default-keychain -s ci.keychain
                    - security import dist.p12 -k ci.keychain -P $P12
                    - xcodebuild archive
                """
            ]),
            Example([
                "fastlane/Fastfile": """
                lane :build do
                  create_keychain(name: "ci", password: "hunter2", unlock: true)
                end
                """
            ]),
        ],
        accepted: [
            Example([
                ".github/workflows/ci.yml": """
                jobs:
                  build:
                    steps:
                      - run: |
                          security create-keychain -p "$PW" build.keychain
                          security set-keychain-settings -lut 21600 build.keychain
                          security unlock-keychain -p "$PW" build.keychain
                          security list-keychains -d user -s build.keychain $(security list-keychains -d user | tr -d '"')
                          security import cert.p12 -k build.keychain -P "$P12" -T /usr/bin/codesign
                          security set-key-partition-list -S apple-tool:,apple: -s -k "$PW" build.keychain
                          xcodebuild archive
                      - if: always()
                        run: security delete-keychain build.keychain
                """
            ]),
            Example([
                "Scripts/sign.sh": """
                set -e
                trap 'security delete-keychain "$KC"' EXIT
                security create-keychain -p "$PW" "$KC"
                security set-keychain-settings -lut 21600 "$KC"
                security unlock-keychain -p "$PW" "$KC"
                security import cert.p12 -k "$KC"
                security set-key-partition-list -S apple-tool:,apple: -s -k "$PW" "$KC"
                codesign -s "$ID" App.app
                """
            ]),
            Example([
                ".gitlab-ci.yml": """
                sign:
                  script:
                    - security create-keychain -p "$PW" ci.keychain
                    - security set-keychain-settings -lut 3600 ci.keychain
                    - security unlock-keychain -p "$PW" ci.keychain
                    - security import dist.p12 -k ci.keychain -P $P12
                    - 'security set-key-partition-list -S apple-tool:,apple: -s -k "$PW" ci.keychain'
                    - xcodebuild archive
                  after_script:
                    - security delete-keychain ci.keychain
                """
            ]),
            Example([
                "fastlane/Fastfile": """
                lane :build do
                  create_keychain(name: "ci", password: ENV["KEYCHAIN_PASSWORD"], unlock: true)
                end
                """
            ]),
        ],
        check: .project { project, report in
            func isLiteral(_ text: String) -> Bool { !text.contains("$") && !text.contains("`") && !text.contains("%") }
            for job in project.files.flatMap({ ShellJob.jobs($0, project.parser) }) {
                let creates = job.security("create-keychain")
                let found =
                    creates.first { $0.option("-p").map(isLiteral) ?? false }
                    ?? (creates.isEmpty
                        ? job.security("unlock-keychain").first { $0.option("-p").map(isLiteral) ?? false }
                            ?? job.security("set-key-partition-list").first { $0.option("-k").map(isLiteral) ?? false }
                        : nil)
                guard let found else { continue }
                let isThrowAway = job.security("import").isEmpty && !job.signsOrTests && !creates.isEmpty
                report.add(
                    path: job.path,
                    line: found.line,
                    "the password of the keychain stands in the file",
                    severity: isThrowAway ? .note : nil
                )
            }
            for file in project.files {
                for call in FastlaneCall.all(file) {
                    let value = call.arguments["password"] ?? call.arguments["keychain_password"] ?? ""
                    guard call.name != "match", value.hasPrefix("\"") || value.hasPrefix("'"), !value.contains("#{"),
                        value.count > 2
                    else {
                        continue
                    }
                    report.add(path: file.path, line: call.line, "the password of the keychain stands in the file")
                }
            }
        }
    )
}
