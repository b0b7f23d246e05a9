// SPDX-License-Identifier: Apache-2.0

extension Rule {
    static let ciSearchListClobbered = Rule(
        "ci-search-list-clobbered",
        .note,
        .high,
        .project,
        title: "The search list of keychains is replaced",
        reason: """
            list-keychains -s and default-keychain -s change the machine for good: on a self-hosted machine the \
            login keychain is then no longer searched.
            """,
        remedy: "Add to the list that is there, and put the old default back when done.",
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
                for command in job.commands {
                    guard let verb = command.verb, command.words.contains("-s") else { continue }
                    if verb == "list-keychain" || verb == "list-keychains" {
                        let keeps = [
                            "list-keychain", "login", "EXISTING", "existing", "CURRENT", "current", "ORIGINAL",
                            "original", "OLD", "old",
                        ]
                        let rest = command.text.split(separator: " ").drop { $0 != "-s" }.joined(separator: " ")
                        if keeps.contains(where: { rest.contains($0) }) { continue }
                        report.add(path: job.path, line: command.line, "replaces the search list of keychains")
                    } else if verb == "default-keychain" {
                        let isRestored = job.security("default-keychain").count { $0.words.contains("-s") } > 1
                        if isRestored || command.text.contains("login") { continue }
                        report.add(
                            path: job.path,
                            line: command.line,
                            "changes the default keychain, and does not put it back"
                        )
                    }
                }
            }
        }
    )
}
