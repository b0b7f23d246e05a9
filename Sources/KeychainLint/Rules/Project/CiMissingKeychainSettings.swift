// SPDX-License-Identifier: Apache-2.0

extension Rule {
    static let ciMissingKeychainSettings = Rule(
        "ci-missing-keychain-settings",
        .warning,
        .high,
        .project,
        title: "The CI keychain locks itself during the build",
        reason: """
            A new keychain locks after five minutes: signing later fails with errSecInteractionNotAllowed \
            (-25308).
            """,
        remedy: """
            Run security set-keychain-settings -lut 21600 KEYCHAIN and security unlock-keychain after creating \
            it.
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
        ],
        check: .project { project, report in
            for job in project.files.flatMap({ ShellJob.jobs($0, project.parser) }) {
                guard let create = job.security("create-keychain").first,
                    job.signsOrTests || !job.security("import").isEmpty
                else { continue }
                let isUnlocked = !job.security("unlock-keychain").isEmpty
                let isSet = !job.security("set-keychain-settings").isEmpty
                if isUnlocked, isSet { continue }
                report.add(
                    path: job.path,
                    line: create.line,
                    isSet ? "the keychain is never unlocked" : "the keychain keeps its lock timeout of five minutes"
                )
            }
        }
    )
}
