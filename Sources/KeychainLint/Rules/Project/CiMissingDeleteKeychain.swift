// SPDX-License-Identifier: Apache-2.0

extension Rule {
    static let ciMissingDeleteKeychain = Rule(
        "ci-missing-delete-keychain",
        .warning,
        .high,
        .project,
        title: "A keychain stays behind on the CI machine",
        reason: """
            A plain delete at the end does not run when a step before it fails, and the keychain with the \
            signing key stays on the machine.
            """,
        remedy: "Delete it in a step with if: always(), by trap … EXIT, in after_script, or in ensure.",
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
                guard let create = job.security("create-keychain").first else { continue }
                let deletes = job.security("delete-keychain")
                if deletes.contains(where: \.isAlways) { continue }
                report.add(
                    path: job.path,
                    line: create.line,
                    deletes.isEmpty
                        ? "the keychain is never deleted"
                        : "the keychain is not deleted when a command before that fails"
                )
            }
            for file in project.files {
                let calls = FastlaneCall.all(file)
                guard let create = calls.first(where: { $0.name == "create_keychain" }),
                    !calls.contains(where: { $0.name == "delete_keychain" && $0.isAlways })
                else { continue }
                report.add(
                    path: file.path,
                    line: create.line,
                    "the keychain is not deleted in ensure, after_all or error"
                )
            }
        }
    )
}
