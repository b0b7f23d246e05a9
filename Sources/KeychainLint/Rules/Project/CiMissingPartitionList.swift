// SPDX-License-Identifier: Apache-2.0

extension Rule {
    static let ciMissingPartitionList = Rule(
        "ci-missing-partition-list",
        .error,
        .high,
        .project,
        title: "An imported key asks for permission at its first use",
        reason: """
            After security import codesign may not use the key before somebody clicks Allow: on a CI machine the \
            build waits until it times out.
            """,
        remedy: """
            Run security set-key-partition-list -S apple-tool:,apple: -s -k PASSWORD KEYCHAIN after the import.
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
                "Scripts/trust.sh": """
                security create-keychain -p "$PW" ci.keychain
                security import root.cer -k ci.keychain
                """
            ]),
        ],
        check: .project { project, report in
            for job in project.files.flatMap({ ShellJob.jobs($0, project.parser) }) {
                guard !job.security("create-keychain").isEmpty, job.security("set-key-partition-list").isEmpty,
                    !job.uses.contains(where: { $0.contains("import-codesign-certs") })
                else { continue }
                for command in job.security("import") {
                    let isCertificate = command.words.contains {
                        $0.hasSuffix(".cer") || $0.hasSuffix(".crt") || $0.hasSuffix(".pem")
                    }
                    if isCertificate || command.words.contains("-A") { continue }
                    report.add(
                        path: job.path,
                        line: command.line,
                        "no set-key-partition-list after the import: codesign hangs"
                    )
                    break
                }
            }
        }
    )
}
